/** Bytes per extent. Extents are large enough to make the cost of passing one on negligible. */
export const EXTENT_BYTES = 1 << 21

/** Size of the output buffer of an edge. Most edges need a tenth of it. A larger output gets its own buffer. */
export const EDGE_BYTES = 1 << 17
