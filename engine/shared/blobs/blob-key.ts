import { EngineError } from '../errors.ts'

/** Key of stored bytes: the id of their file, and their name in the folder of that file. */
export interface BlobKey {
  /** UUID in lower case. */
  readonly id: string
  /** A plain file name without a path. */
  readonly name: string
}

// Matches UUIDs of any version and variant, because ids of a release stay as they are (data-commons.md 11.6).
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
// Path separators of all platforms, NUL and other control characters.
const UNSAFE_IN_NAME = /[/\\\p{Cc}]/u
/** Name of an entry that contains an address instead of bytes. The name is reserved, so no file may have it. */
export const ADDRESS_NAME = 'file.address'
/** Longest file name, in bytes, that common file systems allow. */
const MAX_NAME_BYTES = 255

/**
 * Creates a key. All paths to stored bytes are made of keys, so both parts are checked here.
 * @throws EngineError `bad_input` if the id is not a UUID or the name is not a plain file name
 */
export function blobKey(id: string, name: string): BlobKey {
  checkId(id)
  checkName(name, 'name')
  return { id, name }
}

/** Returns whether a text is a valid file id. */
export function isId(id: string): boolean {
  return UUID.test(id)
}

/**
 * Checks a file id.
 * @throws EngineError `bad_input` if it is not a UUID in lower case
 */
export function checkId(id: string): void {
  if (!isId(id)) {
    throw new EngineError(
      'bad_input',
      `file id ${JSON.stringify(id.slice(0, 80))} is not a UUID in lower case`,
      { at: 'id' },
    )
  }
}

/**
 * Checks a file name.
 * @throws EngineError `bad_input` if it is not a plain file name of 1 to 255 bytes
 */
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
