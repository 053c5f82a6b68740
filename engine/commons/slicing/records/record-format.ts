import type { KnownNumbers } from '../../../shared/formats/bcf.ts'
import type { LineRule } from '../../../shared/formats/tabix.ts'

/** Description of a file's records that lets a job separate and locate them. */
export type RecordFormat = BamFormat | BcfFormat | LineFormat

interface BamFormat {
  readonly kind: 'BAM'
}

export interface BcfFormat {
  readonly kind: 'BCF'
  readonly samples: number
  readonly known: KnownNumbers
}

/** Lines of text with tab-separated columns. */
export interface LineFormat extends LineRule {
  readonly kind: 'lines'
  /** Reference numbers by name: all of them, or those that a job distinguishes. */
  readonly numbers: readonly (readonly [name: string, number: number])[]
  /** Number of samples in the header. Only for VCF. */
  readonly samples?: number | undefined
}

/**
 * Returns whether a record may have length 0, as an insertion in BED has. Such a record overlaps what lies on
 * both sides of it, but not what starts at it.
 */
export function mayBeEmpty(format: RecordFormat): boolean {
  if (format.kind === 'lines') return format.layout.preset !== 'VCF'
  return format.kind === 'BCF'
}

/** Returns the format for a job that only uses these references. */
export function formatFor(
  format: RecordFormat,
  names: readonly string[],
  references: Iterable<number>,
): RecordFormat {
  if (format.kind !== 'lines') return format
  const numbers = [...new Set(references)].map((number) => [names[number] ?? '', number] as const)
  return { ...format, numbers }
}
