/* Minimax and alpha-beta on 3x3 with the counts that `ttt` keeps: nodes per ply, leaves, cutoffs by move. */
#include <stdint.h>

static const int LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
static uint8_t wins[512];
static long nodes[10], leaves, cutoffs[10];

static int minimax(int mine, int theirs, int ply) {
    nodes[ply]++;
    int free = 511 & ~(mine | theirs);
    if (wins[theirs] || !free) {
        leaves++;
        return wins[theirs] ? -1 : 0;
    }
    int best = -2;
    while (free) {
        int bit = free & -free;
        free ^= bit;
        int value = -minimax(theirs, mine | bit, ply + 1);
        if (value > best) best = value;
    }
    return best;
}

static int alphabeta(int mine, int theirs, int alpha, int beta, int ply) {
    nodes[ply]++;
    int free = 511 & ~(mine | theirs);
    if (wins[theirs] || !free) {
        leaves++;
        return wins[theirs] ? -1 : 0;
    }
    int best = -2, tried = 0;
    while (free) {
        int bit = free & -free;
        free ^= bit;
        int value = -alphabeta(theirs, mine | bit, -beta, -alpha, ply + 1);
        if (value > best) {
            best = value;
            if (value > alpha) {
                alpha = value;
                if (alpha >= beta) {
                    cutoffs[tried]++;
                    break;
                }
            }
        }
        tried++;
    }
    return best;
}

/* Search from the empty board, with cutoffs or without: how many nodes. */
long search(int cutting) {
    long sum = 0;
    for (int n = 0; n < 10; n++) nodes[n] = cutoffs[n] = 0;
    leaves = 0;
    for (int cells = 0; cells < 512; cells++)
        for (int n = 0; n < 8; n++) wins[cells] |= (cells & LINES[n]) == LINES[n];
    if (cutting) alphabeta(0, 0, -2, 2, 0);
    else minimax(0, 0, 0);
    for (int n = 0; n < 10; n++) sum += nodes[n];
    return sum;
}
