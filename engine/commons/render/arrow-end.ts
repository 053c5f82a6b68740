/** End-of-stream marker of an Arrow IPC stream: the continuation mark and a length of zero. */
export const ARROW_END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
