/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that attract each other, after Barnes and Hut: in every step the
 * processes put their bodies into a tree of squares, main sums up its masses,
 * each process computes the forces on its bodies, treating far squares as one
 * body, and moves them. After the last step main compares all positions with
 * those that one process alone computes.
 *
 * bug:      CTrigger Table 2, Barnes
 * kind:     order violation through a wrong macro (LOCON row 2: R W)
 * threads:  main and 2 processes
 * failure:  wrong result (exit status 1)
 * accesses: read of a body's position by main, write of it by the last process
 * natively: in some of ten runs where processors are few, else rare
 * twins:    -DFIXED repairs WAIT_FOR_END, see wait_macros.h
 * sizes:    bodies, steps
 */
#include <math.h>
#include <string.h>

#include "wait_macros.h"

#define PROCESSES 3
#define NODES_MAX 4096
#define SPACE 64.0

struct body {
	double x, y, speed_x, speed_y, force_x, force_y, mass;
};

/* A square with a body, with four smaller squares, or with nothing. */
struct node {
	double middle_x, middle_y, half;
	double mass, centre_x, centre_y;
	struct node *quarters[4];
	struct body *body;
};

struct world {
	pthread_mutex_t tree_lock;
	int processes;
	int node_count;
	struct node *nodes;
	struct body *bodies;
};

struct process {
	struct world *world;
	int number;
};

static int body_count;
static int steps;

static struct node *node_new(struct world *world, double x, double y,
			     double half)
{
	struct node *node = &world->nodes[world->node_count++];

	if (world->node_count >= NODES_MAX)
		exit(2);
	memset(node, 0, sizeof(*node));
	node->middle_x = x;
	node->middle_y = y;
	node->half = half;
	return node;
}

static void node_put(struct world *world, struct node *node, struct body *body);

static void node_put_below(struct world *world, struct node *node,
			   struct body *body)
{
	int right = body->x >= node->middle_x, up = body->y >= node->middle_y;
	struct node **quarter = &node->quarters[right + 2 * up];
	double half = node->half / 2;

	if (!*quarter)
		*quarter = node_new(world,
				    node->middle_x + (2 * right - 1) * half,
				    node->middle_y + (2 * up - 1) * half, half);
	node_put(world, *quarter, body);
}

static int node_is_split(const struct node *node)
{
	return node->quarters[0] || node->quarters[1] || node->quarters[2] ||
	       node->quarters[3];
}

static void node_put(struct world *world, struct node *node, struct body *body)
{
	struct body *other = node->body;

	if (!other && !node_is_split(node)) {
		node->body = body;
		return;
	}
	node->body = NULL;
	if (other)
		node_put_below(world, node, other);
	node_put_below(world, node, body);
}

static void node_sum(struct node *node)
{
	if (node->body) {
		node->mass = node->body->mass;
		node->centre_x = node->body->x;
		node->centre_y = node->body->y;
		return;
	}
	for (int i = 0; i < 4; i++) {
		struct node *quarter = node->quarters[i];

		if (!quarter)
			continue;
		node_sum(quarter);
		node->mass += quarter->mass;
		node->centre_x += quarter->mass * quarter->centre_x;
		node->centre_y += quarter->mass * quarter->centre_y;
	}
	node->centre_x /= node->mass;
	node->centre_y /= node->mass;
}

static void node_pull(const struct node *node, struct body *body)
{
	double x = node->centre_x - body->x, y = node->centre_y - body->y;
	double distance = sqrt(x * x + y * y + 0.01);

	if (node->body == body)
		return;
	if (!node->body && 2 * node->half > 0.8 * distance) {
		for (int i = 0; i < 4; i++)
			if (node->quarters[i])
				node_pull(node->quarters[i], body);
		return;
	}
	body->force_x += node->mass * x / (distance * distance * distance);
	body->force_y += node->mass * y / (distance * distance * distance);
}

static void body_move(struct body *body)
{
	body->speed_x += 0.1 * body->force_x;
	body->speed_y += 0.1 * body->force_y;
	body->x += 0.1 * body->speed_x;
	body->y += 0.1 * body->speed_y;
	body->force_x = body->force_y = 0;
}

static void meet(const struct world *world)
{
	if (world->processes > 1)
		BARRIER();
}

static void step_run(struct world *world, int process)
{
	int stride = world->processes;

	if (process == 0) {
		world->node_count = 0;
		node_new(world, 0, 0, SPACE);
	}
	meet(world);
	for (int i = process; i < body_count; i += stride) {
		pthread_mutex_lock(&world->tree_lock);
		node_put(world, world->nodes, &world->bodies[i]);
		pthread_mutex_unlock(&world->tree_lock);
	}
	meet(world);
	if (process == 0)
		node_sum(world->nodes);
	meet(world);
	for (int i = process; i < body_count; i += stride)
		node_pull(world->nodes, &world->bodies[i]);
	meet(world);
	for (int i = process; i < body_count; i += stride)
		body_move(&world->bodies[i]);
}

static void *slave_start(void *arg)
{
	struct process *process = arg;

	for (int i = 0; i < steps; i++) {
		if (i > 0)
			meet(process->world);
		step_run(process->world, process->number);
	}
	return NULL;
}

static void world_init(struct world *world, int processes)
{
	unsigned dice = 7;

	pthread_mutex_init(&world->tree_lock, NULL);
	world->processes = processes;
	world->nodes = calloc(NODES_MAX, sizeof(*world->nodes));
	world->bodies = calloc((size_t)body_count, sizeof(*world->bodies));
	if (!world->nodes || !world->bodies)
		exit(2);
	for (int i = 0; i < body_count; i++) {
		dice = subject_work(dice, 3);
		world->bodies[i].x = dice % 1000 / 20.0 - 25;
		world->bodies[i].y = dice / 1000 % 1000 / 20.0 - 25;
		world->bodies[i].mass = 1 + dice % 5;
	}
}

static void worlds_compare(const struct world *one, const struct world *other)
{
	for (int i = 0; i < body_count; i++)
		if (one->bodies[i].x != other->bodies[i].x ||
		    one->bodies[i].y != other->bodies[i].y)
			subject_wrong("body %d is at %f, %f instead of %f, %f",
				      i, one->bodies[i].x, one->bodies[i].y,
				      other->bodies[i].x, other->bodies[i].y);
}

int main(int argc, char **argv)
{
	struct process processes[PROCESSES];
	static struct world world, alone;

	body_count = subject_size(argc, argv, 1, 6);
	steps = subject_size(argc, argv, 2, 1);
	world_init(&world, PROCESSES);
	world_init(&alone, 1);
	MAIN_INITENV(PROCESSES);
	for (int i = 0; i < PROCESSES; i++) {
		processes[i] = (struct process){ &world, i };
		if (i > 0)
			CREATE(slave_start, &processes[i]);
	}
	slave_start(&processes[0]);
	slave_start(&(struct process){ &alone, 0 });
	/* Timing and statistics of the kernel. */
	subject_work(1, 200000);
	WAIT_FOR_END(PROCESSES - 1);
	worlds_compare(&world, &alone);
	printf("%d bodies, the first at %.6f, %.6f\n", body_count,
	       world.bodies[0].x, world.bodies[0].y);
	return 0;
}
