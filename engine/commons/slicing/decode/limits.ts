import { type NamedInterval, parseNamedRegion } from '../../../shared/input/region.ts'
import type { Alignment } from '../alignment.ts'

export const DECODE_LIMITS = {
  /** Maximum number of bytes of a file from which records are decoded per request. */
  maxCopied: 64 << 20,
  /** Maximum number of bins per response. */
  maxBins: 1_000_000,
  /** Maximum number of records per response. */
  maxRecords: 100_000,
} as const

/**
 * Parses a single region on any reference of the file, or the reads without a position.
 * @throws EngineError bad_region if it is malformed or on an unknown reference
 */
export function namedRegion({ numberOf }: Alignment, region: string): NamedInterval | 'unmapped' {
  return parseNamedRegion(region, new Set(numberOf.keys()), 'region')
}
