import { wholeDigits } from '../../engine/shared/internal.ts'

/** A file that is to be fetched, with what is known of it before the server is asked for its bytes. */
export interface Wanted {
  readonly id: string
  /** Name of its folder below the target: its own id, or that of the file it belongs to. */
  readonly folder: string
  readonly name?: string
  /** Lower-case hex. */
  readonly md5?: string
  /** Bytes. */
  readonly size?: number
}

/** What became of a file. */
export interface Outcome {
  readonly id: string
  /** Where it lies, or would have; null when that never became known. */
  readonly path: string | null
  readonly bytes: number | null
  /** Of the bytes on disk, lower-case hex. */
  readonly md5: string | null
  readonly status: 'complete' | 'present' | 'failed'
  /** False when nobody gave an md5 to compare with. */
  readonly verified: boolean
  readonly error?: string
}

/** The part of a description that a table or a server gave, without what makes no sense. */
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
