import { DIRECTORY_NAME } from './stored.ts'

/** Longest file name in bytes that file systems accept. */
const MAX_NAME_BYTES = 255

/** Returns the name of a file's index in the file's folder. */
export function indexNameOf(fileName: string, indexPath: string): string
export function indexNameOf(fileName: string, indexPath: string | undefined): string | null
export function indexNameOf(fileName: string, indexPath: string | undefined): string | null {
  if (indexPath === undefined) return null
  const ending = /\.(csi|tbi|crai)$/i.exec(indexPath)?.[1]?.toLowerCase() ?? 'bai'
  const name = `${fileName}.${ending}`
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? `index.${ending}` : name
}

/**
 * Returns whether a sliceable file may have this name. Names of block directories in the same folder are
 * reserved.
 */
export const isSliceableName = (fileName: string): boolean => fileName !== DIRECTORY_NAME
