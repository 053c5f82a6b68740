import { EngineError } from '../../shared/errors.ts'
import type { FoundFile } from '../files/download/resolve.ts'

/** File formats that a ticket can be for. */
export type HtsgetFormat = 'BAM' | 'CRAM' | 'VCF' | 'BCF'
export type HtsgetKind = 'reads' | 'variants'

export const FORMATS: Readonly<Record<HtsgetKind, readonly HtsgetFormat[]>> = Object.freeze({
  reads: Object.freeze(['BAM', 'CRAM'] as const),
  variants: Object.freeze(['VCF', 'BCF'] as const),
})

const ENDINGS: readonly (readonly [RegExp, HtsgetFormat])[] = [
  [/\.bam$/i, 'BAM'],
  [/\.cram$/i, 'CRAM'],
  [/\.vcf(\.b?gz)?$/i, 'VCF'],
  [/\.bcf(\.gz)?$/i, 'BCF'],
]

/**
 * Returns the format of a file: the format found in its bytes, otherwise the one in its record, otherwise the
 * one of its file name.
 * @throws EngineError not_found if it is not a file of that kind
 */
export function formatOf(file: FoundFile, kind: HtsgetKind): HtsgetFormat {
  const declared = [file.stored?.dataFormat, file.dataFormat?.toUpperCase()]
  const named = ENDINGS.find(([ending]) => ending.test(file.fileName))?.[1]
  const format = [...declared, named].find((one) => FORMATS[kind].some((known) => known === one))
  if (format) return format as HtsgetFormat
  const [first, second] = FORMATS[kind]
  const message = `file ${file.id} has no ${kind}; give the id of a ${first} or ${second} file`
  throw new EngineError('not_found', message)
}

/** Creates the error for a reference sequence that is not in the file. */
export function unknownReference(name: string, at: string): EngineError {
  const shown = JSON.stringify(name.slice(0, 80))
  const message = `the file has no reference ${shown}; its header names those it has`
  return new EngineError('not_found', message, { at })
}

/**
 * Rejects a request for a format other than the file's.
 * @throws EngineError unsupported_type if they differ
 */
export function requireFormat(asked: HtsgetFormat | undefined, format: HtsgetFormat): void {
  if (asked === undefined || asked === format) return
  const message = `the file is in the format ${format} and is not converted; request ${format}`
  throw new EngineError('unsupported_type', message, { at: 'format' })
}
