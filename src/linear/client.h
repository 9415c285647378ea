/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CLIENT_H
#define HEDDLE_CLIENT_H

/*
 * One connection of a client the tool plays. Nothing here waits for the server:
 * what it sent is there or it is not.
 */

#include "linear/player.h"

/* To "unix:PATH" or "tcp:PORT"; -1 with errno. */
int connection_open(struct connection *c, const char *address);
void connection_close(struct connection *c);

/* Sends a request, with its ending. A server that has hung up is noticed when
 * its reply is asked for. */
void connection_send(struct connection *c, const struct linear_spec *s,
		     struct blob text);

/* Takes in what has come; is a reply whole? */
bool connection_has_reply(struct connection *c, const struct linear_spec *s,
			  bool is_idle);

/* A port that nobody listens at; 0: none could be found. */
uint16_t port_free(void);

#endif
