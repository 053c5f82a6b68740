import type { KnownNumbers } from '../../../shared/formats/bcf.ts'
import type { LineRule } from '../../../shared/formats/tabix.ts'

/** How to separate and locate the records of a file. It is plain data, so that jobs can receive it. */
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
  /** Reference numbers by name, of all references or only of those that a job needs. */
  readonly numbers: readonly (readonly [name: string, number: number])[]
  /** Number of samples in the header. Only for VCF. */
  readonly samples?: number | undefined
}

/**
 * Returns whether a record may have length 0, such as an insertion in BED. Such a record overlaps an interval
 * that contains the positions on both sides of it, but not an interval that begins at it.
 */
export function mayBeEmpty(format: RecordFormat): boolean {
  if (format.kind === 'lines') return format.layout.preset !== 'VCF'
  return format.kind === 'BCF'
}

/** Returns the format for a job that needs only these references. */
export function formatFor(
  format: RecordFormat,
  names: readonly string[],
  references: Iterable<number>,
): RecordFormat {
  if (format.kind !== 'lines') return format
  const numbers = [...new Set(references)].map((number) => [names[number] ?? '', number] as const)
  return { ...format, numbers }
}
