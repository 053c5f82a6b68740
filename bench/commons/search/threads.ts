/** Threads of everyone who takes part; the goals are stated for two. */
export const THREADS = 2
