import { isId } from '../../shared/blobs/blob-key.ts'

/** Meaning of a DRS object id. */
type DrsId =
  /** A file, or a case if no file has the id. */
  | { readonly kind: 'record'; readonly id: string }
  /** A file together with its index files. */
  | { readonly kind: 'indexed file'; readonly fileId: string }
  /** All files of a project that have a certain data type. */
  | { readonly kind: 'project files'; readonly projectId: string; readonly dataType: string }

const WITH_INDEX = '.with-index'

/**
 * Parses an id: a UUID, `<uuid>.with-index`, or `<project_id>.<data_type>` with `_` for spaces, so that no id
 * needs escaping in a URI. Returns undefined for any other text.
 *
 * @example parseDrsId('TRIAL-ONE.Aligned_Reads') // { kind: 'project files', projectId: 'TRIAL-ONE', dataType:
 *   'Aligned Reads' }
 */
export function parseDrsId(text: string): DrsId | undefined {
  const id = text.toLowerCase()
  if (isId(id)) return { kind: 'record', id }
  if (id.endsWith(WITH_INDEX)) {
    const fileId = id.slice(0, -WITH_INDEX.length)
    return isId(fileId) ? { kind: 'indexed file', fileId } : undefined
  }
  const dot = text.lastIndexOf('.')
  if (dot <= 0 || dot === text.length - 1) return undefined
  const dataType = text.slice(dot + 1).replaceAll('_', ' ')
  return { kind: 'project files', projectId: text.slice(0, dot), dataType }
}
