import { EngineError } from '../errors.ts'

/** Names stored bytes: the file that they belong to, and their name among what belongs to it. */
export interface BlobKey {
  /** A UUID, lower case. */
  readonly id: string
  /** A plain file name. */
  readonly name: string
}

// Any version and variant: ids that came with a release are kept as they are (data-commons.md 11.6).
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
// Separators of every platform, NUL and the other control characters.
const UNSAFE_IN_NAME = /[/\\\p{Cc}]/u
/** What stands in a file's folder in place of its bytes, where these are at an address. Nobody's file is called so. */
export const ADDRESS_NAME = 'file.address'
/** What common file systems allow for one name. */
const MAX_NAME_BYTES = 255

/**
 * The only way from data to a path: both parts are checked before they get near a file system.
 * @throws EngineError `bad_input` when the id is no UUID or the name is no plain file name
 */
export function blobKey(id: string, name: string): BlobKey {
  checkId(id)
  checkName(name, 'name')
  return { id, name }
}

/** Whether a text can be the id of a file. */
export function isId(id: string): boolean {
  return UUID.test(id)
}

/** @throws EngineError `bad_input` */
export function checkId(id: string): void {
  if (!isId(id)) {
    throw new EngineError(
      'bad_input',
      `file id ${JSON.stringify(id.slice(0, 80))} is not a UUID in lower case`,
      { at: 'id' },
    )
  }
}

/** @throws EngineError `bad_input` */
export function checkName(name: string, at: string): void {
  const isSafe = name !== '' && name !== '.' && name !== '..' && !UNSAFE_IN_NAME.test(name)
  if (!isSafe || name === ADDRESS_NAME || Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new EngineError(
      'bad_input',
      `name ${JSON.stringify(name.slice(0, 300))} is no plain file name; use 1 to 255 bytes without "/", "\\" and control characters, and not ".", ".." or "${ADDRESS_NAME}"`,
      { at },
    )
  }
}
