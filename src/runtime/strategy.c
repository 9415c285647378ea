/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strategy.h"

const struct strategy *const strategies[STRATEGIES] = {
#define STRATEGY(name, symbol, text, meaning)                                  \
	[STRATEGY_##name] = &strategy_##symbol,
#include "format/strategy.def"
#undef STRATEGY
};
