import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { HtsgetFormat } from './formats.ts'
import type { CutParts } from './ticket-parts.ts'

/** A requested region, 0-based and half-open. A reference alone means all of it, and `*` means unplaced reads. */
export interface HtsgetRegion {
  readonly referenceName: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export interface CutRun {
  readonly signal?: AbortSignal | undefined
}

/**
 * Cuts regions out of a file of one format. Without regions, the result is a valid file with only the header.
 * @throws EngineError not_found for an unknown reference, unsupported_type if the file cannot be cut,
 *   too_large, busy, corrupt_source, unavailable
 */
export type Cut = (
  file: StoredFile,
  regions: readonly HtsgetRegion[],
  run: CutRun,
) => Promise<CutParts>

/** The cutter of each format. Files of other formats are only served whole. */
export type Cutters = Readonly<Partial<Record<HtsgetFormat, Cut>>>
