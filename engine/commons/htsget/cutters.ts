import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { HtsgetFormat } from './formats.ts'
import type { CutParts } from './ticket-parts.ts'

/** What is wanted of a file: 0-based, half-open; a reference alone is all of it, `*` what has no place. */
export interface HtsgetRegion {
  readonly referenceName: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export interface CutRun {
  readonly signal?: AbortSignal | undefined
}

/**
 * Cuts regions out of a file of one format; none of them is the header alone, as a whole file.
 * @throws EngineError not_found for an unknown reference, unsupported_type where the file cannot be
 *   cut, too_large, busy, corrupt_source, unavailable
 */
export type Cut = (
  file: StoredFile,
  regions: readonly HtsgetRegion[],
  run: CutRun,
) => Promise<CutParts>

/** How each format is cut. Files of the others are given whole alone. */
export type Cutters = Readonly<Partial<Record<HtsgetFormat, Cut>>>
