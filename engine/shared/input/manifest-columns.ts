/** Column names of a download manifest. The first name is the standard one, the others are those of R packages. */
export const MANIFEST_COLUMNS = {
  id: ['id', 'file_id'],
  fileName: ['filename', 'file_name'],
  md5: ['md5', 'md5sum'],
  size: ['size', 'file_size'],
} as const

type ManifestColumn = keyof typeof MANIFEST_COLUMNS

/** Returns the index of each manifest column in a header, ignoring case. `undefined` if the header lacks it. */
export function findManifestColumns(
  header: readonly string[],
): Readonly<Record<ManifestColumn, number | undefined>> {
  const names = header.map((name) => name.trim().toLowerCase())
  const place = (wanted: readonly string[]) =>
    wanted.map((name) => names.indexOf(name)).find((at) => at >= 0)
  return {
    id: place(MANIFEST_COLUMNS.id),
    fileName: place(MANIFEST_COLUMNS.fileName),
    md5: place(MANIFEST_COLUMNS.md5),
    size: place(MANIFEST_COLUMNS.size),
  }
}
