import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { SamePrimarySource } from '../multiple-primaries/same-primary.ts'
import { DISEASE, type Disease } from './disease/definition.ts'
import { PrimaryComparison } from './disease/primary-comparison.ts'
import { GLOSSARY, type GlossaryEntry } from './glossary/definition.ts'
import { TermFinder } from './glossary/term-finder.ts'
import { PublishingArea } from './publishing-area.ts'
import { RX, type Rx } from './rx/definition.ts'

export interface PublishingAreas {
  readonly rx: PublishingArea<Rx>
  readonly glossary: PublishingArea<GlossaryEntry>
  readonly disease: PublishingArea<Disease>
  readonly terms: TermFinder
  readonly primaries: PrimaryComparison
}

interface AreasOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  readonly clock: () => Date
  readonly turns?: LoopTurns | undefined
  /** Compares diseases without a same-primary list of their own. */
  readonly samePrimaries: () => Promise<SamePrimarySource<string>>
}

/** Opens the areas whose records are edited and published, and the features derived from their contents. */
export function openAreas({ state, clock, turns, samePrimaries }: AreasOptions): PublishingAreas {
  const glossary = (texts: readonly string[]) => terms.find(texts)
  const shared = { state, clock, glossary, turns }
  const entries = new PublishingArea({ ...shared, definition: GLOSSARY })
  const terms = new TermFinder(entries, turns)
  const disease = new PublishingArea({ ...shared, definition: DISEASE })
  return {
    rx: new PublishingArea({ ...shared, definition: RX }),
    glossary: entries,
    disease,
    terms,
    primaries: new PrimaryComparison(disease, samePrimaries, turns),
  }
}
