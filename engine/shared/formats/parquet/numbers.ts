/** Numbers of the Parquet format (parquet.thrift). */
export const ENCODINGS = { plain: 0, levels: 3, dictionary: 8 } as const
export const PAGES = { data: 0, dictionary: 2 } as const
export const ZSTD = 6
export const OPTIONAL = 1
