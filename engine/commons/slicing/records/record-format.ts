import type { LineRule } from '../../../shared/formats/tabix.ts'

/** What a job has to know of a file to tell its records apart and where they are. */
export type RecordFormat = BamFormat | BcfFormat | LineFormat

export interface BamFormat {
  readonly kind: 'BAM'
}

export interface BcfFormat {
  readonly kind: 'BCF'
  readonly samples: number
}

/** Lines of text with tabs between their columns. */
export interface LineFormat extends LineRule {
  readonly kind: 'lines'
  /** Numbers of references by their names: all of them, or those that a job has to tell apart. */
  readonly numbers: readonly (readonly [name: string, number: number])[]
}

/**
 * Whether a record may cover nothing, as an insertion in BED does. What covers nothing overlaps what lies
 * on both sides of it, and nothing that begins there.
 */
export function mayBeEmpty(format: RecordFormat): boolean {
  if (format.kind === 'lines') return format.layout.preset !== 'VCF'
  return format.kind === 'BCF'
}

/** The format for a job that asks for these references alone. */
export function formatFor(
  format: RecordFormat,
  names: readonly string[],
  references: Iterable<number>,
): RecordFormat {
  if (format.kind !== 'lines') return format
  const numbers = [...new Set(references)].map((number) => [names[number] ?? '', number] as const)
  return { ...format, numbers }
}
