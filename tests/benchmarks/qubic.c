/* The two searches of ttt/search/engine/kernel.py, written as one writes them in C: static arrays, recursion, no settings.

   Both know a line by its code, X's count + 4 * O's, and keep for each side the gain of every cell, which is what a
   mark there adds to the evaluation. `row_major` is plain alpha-beta; `bounded` tries moves by their bounds, drops
   mirror images while three stones or fewer stand, is content with one move where a side could win at once, and counts
   every leaf. The tables come from Python. */

#include <stdint.h>
#include <string.h>

#define TAKEN (-(1LL << 60))
#define INFINITE (1LL << 58)
#define WINNING (1LL << 49)
#define WIN 100000
#define FEW 3

typedef int64_t number;

static number through[64 * 28], ends[64], own_change[32], other_change[32], images[192 * 64];
static number codes[76], marks[64], placed[64], gains[16][2][64], untried[16][64], stable[16][192], stable_count[16];
static number stones, nodes;

void set_tables(const number *t, const number *e, const number *own, const number *other, const number *i)
{
    memcpy(through, t, sizeof through);
    memcpy(ends, e, sizeof ends);
    memcpy(own_change, own, sizeof own_change);
    memcpy(other_change, other, sizeof other_change);
    memcpy(images, i, sizeof images);
}

static void place(int side, int cell, number *own, number *other)
{
    for (const number *t = through + 28 * cell, *end = through + ends[cell]; t < end; t += 4) {
        number code = codes[t[0]], change;
        codes[t[0]] = code + 1 + 3 * side;
        if ((change = own_change[16 * side + code]))
            own[t[1]] += change, own[t[2]] += change, own[t[3]] += change;
        if ((change = other_change[16 * side + code]))
            other[t[1]] += change, other[t[2]] += change, other[t[3]] += change;
    }
    own[cell] = other[cell] = TAKEN;
    marks[cell] = 1 + side;
    placed[stones++] = cell;
}

static void take_back(int side, int cell)
{
    for (const number *t = through + 28 * cell, *end = through + ends[cell]; t < end; t += 4)
        codes[t[0]] -= 1 + 3 * side;
    marks[cell] = 0;
    stones--;
}

static void answer(int side, int cell, const number *other, number *replies)
{
    memcpy(replies, other, 64 * sizeof *replies);
    for (const number *t = through + 28 * cell, *end = through + ends[cell]; t < end; t += 4) {
        number change = other_change[16 * side + codes[t[0]]];
        if (change)
            replies[t[1]] += change, replies[t[2]] += change, replies[t[3]] += change;
    }
    replies[cell] = TAKEN;
}

static number highest(const number *row)
{
    number best = row[0];
    for (int cell = 1; cell < 64; cell++)
        if (row[cell] > best)
            best = row[cell];
    return best;
}

static int first(const number *row, number gain)
{
    int cell = 0;
    while (row[cell] != gain)
        cell++;
    return cell;
}

static number row_major_leaves(const number *row, number evaluation, number beta)
{
    number best = -INFINITE;
    nodes++;
    for (int cell = 0; cell < 64; cell++)
        if (row[cell] >= 0) {
            number value = row[cell] >= WINNING ? WIN : evaluation + row[cell];
            nodes++;
            if (value > best) {
                best = value;
                if (best >= beta)
                    break;
            }
        }
    return best;
}

static number row_major_visit(int side, int depth, int ply, number alpha, number beta, number evaluation)
{
    number *own = gains[ply][side], *other = gains[ply][1 - side], best = -INFINITE, replies[64];
    if (depth == 1)
        return row_major_leaves(own, evaluation, beta);
    nodes++;
    for (int cell = 0; cell < 64; cell++) {
        number value;
        if (own[cell] < 0)
            continue;
        if (own[cell] >= WINNING) {
            nodes++;
            value = WIN + depth - 1;
        } else if (depth == 2) {
            answer(side, cell, other, replies);
            value = -row_major_leaves(replies, -evaluation - own[cell], -alpha);
        } else {
            memcpy(gains[ply + 1], gains[ply], sizeof gains[ply]);
            place(side, cell, gains[ply + 1][side], gains[ply + 1][1 - side]);
            value = -row_major_visit(1 - side, depth - 1, ply + 1, -beta, -alpha, -evaluation - own[cell]);
            take_back(side, cell);
        }
        if (value > best) {
            best = value;
            if (best > alpha) {
                alpha = best;
                if (alpha >= beta)
                    break;
            }
        }
    }
    return best;
}

static void find_symmetries(int ply)
{
    number found = 0;
    for (int image = 64; image < 64 * 192; image += 64) {
        int same = 1;
        for (int i = 0; i < stones && same; i++)
            same = marks[images[image + placed[i]]] == marks[placed[i]];
        if (same)
            stable[ply][found++] = image;
    }
    stable_count[ply] = found;
}

static void drop_symmetric(int ply, int cell)
{
    for (int i = 0; i < stable_count[ply]; i++)
        untried[ply][images[stable[ply][i] + cell]] = TAKEN;
}

static number bounded_leaves(int ply, const number *row, number evaluation, number beta)
{
    number gain = highest(row), value = gain >= WINNING ? WIN : evaluation + gain, leaves = 0;
    if (value >= beta)
        leaves = 1;
    else if (stones <= FEW) {
        memcpy(untried[ply], row, sizeof untried[ply]);
        find_symmetries(ply);
        for (int cell = 0; cell < 64; cell++)
            if (untried[ply][cell] >= 0) {
                leaves++;
                drop_symmetric(ply, cell);
            }
    } else
        leaves = 64 - stones;
    nodes += 1 + leaves;
    return value;
}

static number bounded_reply(int side, int cell, int ply, number evaluation, number beta)
{
    number replies[64], value;
    answer(side, cell, gains[ply - 1][1 - side], replies);
    placed[stones++] = cell;
    marks[cell] = 1 + side;
    value = bounded_leaves(ply, replies, evaluation, beta);
    stones--;
    marks[cell] = 0;
    return value;
}

static number bounded_last_two(int side, int ply, number alpha, number beta, number evaluation, number threat)
{
    number *own = gains[ply][side], *rest = untried[ply], best = -INFINITE, tried = 0;
    int cell = first(gains[ply][1 - side], threat);
    nodes++;
    memcpy(rest, own, sizeof untried[ply]);
    rest[cell] += threat;
    for (const number *t = through + 28 * cell, *end = through + ends[cell]; t < end; t += 4) {
        number spoiled = other_change[16 * side + codes[t[0]]];
        if (spoiled < 0)
            rest[t[1]] -= spoiled, rest[t[2]] -= spoiled, rest[t[3]] -= spoiled;
    }
    for (;;) {
        number gain = highest(rest), value;
        if (gain < 0)
            break;
        if (evaluation + gain - threat <= alpha) {
            best = alpha;
            break;
        }
        cell = first(rest, gain);
        value = -bounded_reply(side, cell, ply + 1, -evaluation - own[cell], -alpha);
        if (value > best) {
            best = value;
            if (best > alpha) {
                alpha = best;
                if (alpha >= beta)
                    break;
            }
        }
        rest[cell] = TAKEN;
        if (stones < FEW) {
            if (tried++ == 0)
                find_symmetries(ply);
            drop_symmetric(ply, cell);
        }
    }
    return best;
}

static number bounded_visit(int side, int depth, int ply, number alpha, number beta, number evaluation)
{
    number *own = gains[ply][side], *other = gains[ply][1 - side], *rest = untried[ply];
    number best = -INFINITE, tried = 0, top, threat;
    int stop = -1;
    if (depth == 1)
        return bounded_leaves(ply, own, evaluation, beta);
    top = highest(own);
    threat = highest(other);
    if (top >= WINNING) {
        nodes += 2;
        return WIN + depth - 1;
    }
    if (threat >= WINNING)
        stop = first(other, threat);
    else if (depth == 2)
        return bounded_last_two(side, ply, alpha, beta, evaluation, threat);
    nodes++;
    memcpy(rest, own, sizeof untried[ply]);
    for (;;) {
        number gain = tried ? highest(rest) : top, value;
        if (gain < 0)
            break;
        int cell = stop >= 0 ? stop : first(rest, gain);
        if (depth == 2)
            value = -bounded_reply(side, cell, ply + 1, -evaluation - own[cell], -alpha);
        else {
            memcpy(gains[ply + 1], gains[ply], sizeof gains[ply]);
            place(side, cell, gains[ply + 1][side], gains[ply + 1][1 - side]);
            value = -bounded_visit(1 - side, depth - 1, ply + 1, -beta, -alpha, -evaluation - own[cell]);
            take_back(side, cell);
        }
        if (value > best) {
            best = value;
            if (best > alpha) {
                alpha = best;
                if (alpha >= beta)
                    break;
            }
        }
        if (stop >= 0)
            break;
        rest[cell] = TAKEN;
        if (tried++ == 0 && stones <= FEW)
            find_symmetries(ply);
        if (stones <= FEW)
            drop_symmetric(ply, cell);
    }
    return best;
}

/* Searches the position with these stones, each side's cells as 64 marks in row-major order; returns its value. */
number search(const number *position, int depth, int bounded, number *visited)
{
    number evaluation = 0, worth[4] = {0, 1, 10, 100};
    int count = 0, side;
    memset(codes, 0, sizeof codes);
    memset(marks, 0, sizeof marks);
    stones = nodes = 0;
    for (int cell = 0; cell < 64; cell++)
        gains[0][0][cell] = gains[0][1][cell] = (ends[cell] - 28 * cell) / 4;
    for (int cell = 0; cell < 64; cell++)
        if (position[cell]) {
            side = position[cell] - 1;
            place(side, cell, gains[0][side], gains[0][1 - side]);
            count++;
        }
    for (int line = 0; line < 76; line++) {
        number x = codes[line] % 4, o = codes[line] / 4;
        evaluation += o ? (x ? 0 : -worth[o]) : worth[x];
    }
    side = count % 2;
    evaluation = (bounded ? bounded_visit : row_major_visit)(side, depth, 0, -INFINITE, INFINITE,
                                                             side ? -evaluation : evaluation);
    *visited = nodes;
    return evaluation;
}
