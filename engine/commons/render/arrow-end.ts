/** What ends an Arrow IPC stream: the mark of a message and a length of zero. */
export const ARROW_END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
