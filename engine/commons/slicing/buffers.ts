/** Bytes per copied extent, large enough that the cost of handing it on is negligible. */
export const EXTENT_BYTES = 1 << 21

/** Buffer for the output of an edge. Most edges take a tenth of it; larger output gets its own buffer. */
export const EDGE_BYTES = 1 << 17
