import { DIRECTORY_NAME } from '../../slicing/stored.ts'

/** What file systems take as one name. */
const MAX_NAME_BYTES = 255

/** The name that a file's index gets in the file's own folder. */
export function indexNameOf(fileName: string, indexPath: string): string
export function indexNameOf(fileName: string, indexPath: string | undefined): string | null
export function indexNameOf(fileName: string, indexPath: string | undefined): string | null {
  if (indexPath === undefined) return null
  const ending = /\.(csi|tbi|crai)$/i.exec(indexPath)?.[1]?.toLowerCase() ?? 'bai'
  const name = `${fileName}.${ending}`
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? `index.${ending}` : name
}

/** Whether a file that can be sliced may be called so: its block directory has a fixed name in the same folder. */
export const isSliceableName = (fileName: string): boolean => fileName !== DIRECTORY_NAME
