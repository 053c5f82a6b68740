import { wholeDigits } from '../../engine/shared/internal.ts'

/** A file to download, with its known properties. */
export interface Wanted {
  readonly id: string
  /** Name of the folder for the file: its own id. For an index file, the id of its main file. */
  readonly folder: string
  readonly name?: string
  /** md5 in lower-case hex. */
  readonly md5?: string
  /** Size in bytes. */
  readonly size?: number
}

/** Result of downloading a file. */
export interface Outcome {
  readonly id: string
  /** Path of the stored file. Null if fetching failed. */
  readonly path: string | null
  /** Size of the stored file in bytes. Null if fetching failed. */
  readonly bytes: number | null
  /** md5 of the stored bytes in lower-case hex. Null if fetching failed. */
  readonly md5: string | null
  /** `complete` if this run has fetched the file; `present` if an earlier run has, with the expected md5. */
  readonly status: 'complete' | 'present' | 'failed'
  /** Whether the md5 was compared with an expected one. */
  readonly verified: boolean
  /** Reason for the failure. */
  readonly error?: string
}

/** Returns the valid properties in a file's description by a table or server. Invalid properties are left out. */
export function described(given: {
  readonly name: unknown
  readonly md5: unknown
  readonly size: unknown
}): Pick<Wanted, 'name' | 'md5' | 'size'> {
  const { name, md5, size: written } = given
  // A size may be written as text. Any other text gives NaN, which is left out below.
  const size = typeof written === 'string' ? Number(wholeDigits(written) ?? Number.NaN) : written
  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof md5 === 'string' && /^[0-9a-f]{32}$/i.test(md5) && { md5: md5.toLowerCase() }),
    ...(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && { size }),
  }
}
