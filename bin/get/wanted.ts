import { wholeDigits } from '../../engine/shared/internal.ts'

/** A file to fetch, with what is known before its bytes are requested. */
export interface Wanted {
  readonly id: string
  /** Name of its folder: its own id, or that of its main file. */
  readonly folder: string
  readonly name?: string
  /** md5 in lower-case hex. */
  readonly md5?: string
  /** Size in bytes. */
  readonly size?: number
}

/** Result for a file. */
export interface Outcome {
  readonly id: string
  /** Path of the file, even if fetching failed; null if it never became known. */
  readonly path: string | null
  readonly bytes: number | null
  /** md5 of the stored bytes in lower-case hex. */
  readonly md5: string | null
  readonly status: 'complete' | 'present' | 'failed'
  /** Whether the md5 was compared with an expected one. */
  readonly verified: boolean
  readonly error?: string
}

/** Returns the valid parts of a description from a table or server. */
export function described(of: {
  readonly name: unknown
  readonly md5: unknown
  readonly size: unknown
}): Pick<Wanted, 'name' | 'md5' | 'size'> {
  const { name, md5 } = of
  const size = typeof of.size === 'string' ? Number(wholeDigits(of.size) ?? Number.NaN) : of.size
  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof md5 === 'string' && /^[0-9a-f]{32}$/i.test(md5) && { md5: md5.toLowerCase() }),
    ...(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && { size }),
  }
}
