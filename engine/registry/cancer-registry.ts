import type { DatabaseSync } from 'node:sqlite'
import { checkState } from '../shared/catalogue/check-state.ts'
import { openState, statePath } from '../shared/catalogue/state.ts'
import type { Issue } from '../shared/issue.ts'
import type { Shared } from '../shared/shared.ts'
import { Hcpcs } from './codes/hcpcs/hcpcs.ts'
import { Ndc } from './codes/ndc/ndc.ts'
import { MultiplePrimaries } from './multiple-primaries/service.ts'
import { LineBatches } from './ndjson-batch/line-batches.ts'
import { openAreas, type PublishingAreas } from './publishing/areas.ts'
import { Staging } from './staging/store/service.ts'

/** The reference data of a cancer registry in one data folder. */
export class CancerRegistry {
  readonly keys: Shared['keys']
  readonly staging: Staging
  readonly ndc: Ndc
  readonly hcpcs: Hcpcs
  readonly multiplePrimaries: MultiplePrimaries
  readonly rx: PublishingAreas['rx']
  readonly glossary: PublishingAreas['glossary']
  readonly disease: PublishingAreas['disease']
  readonly terms: PublishingAreas['terms']
  readonly primaries: PublishingAreas['primaries']
  readonly #state: DatabaseSync
  readonly #batches: LineBatches

  /** @param yearNow the current year in four digits; without it, that of the system's clock */
  constructor({ dataFolder, executor, clock, keys }: Shared, yearNow?: () => string) {
    this.keys = keys
    const state = openState(statePath(dataFolder))
    this.#state = state
    const batches = new LineBatches(executor)
    this.#batches = batches
    const ofLines = { state, batches, yearNow }
    this.staging = new Staging({ ...ofLines, clock })
    this.multiplePrimaries = new MultiplePrimaries(ofLines)
    const samePrimaries = {
      matches: (...asked: [string, string, number]) => this.multiplePrimaries.listsAsSame(...asked),
    }
    const areas = openAreas({ state, clock, samePrimaries })
    this.rx = areas.rx
    this.glossary = areas.glossary
    this.disease = areas.disease
    this.terms = areas.terms
    this.primaries = areas.primaries
    this.ndc = new Ndc({ state, clock })
    this.hcpcs = new Hcpcs({ state, clock })
  }

  /** Verifies the database, staging and the published records; yields what is wrong with them. */
  async *check(): AsyncGenerator<Issue> {
    yield* checkState(this.#state)
    yield* this.staging.check()
    for (const area of [this.rx, this.glossary, this.disease]) yield* area.check()
  }

  /** Numbers for monitoring. */
  load() {
    return this.#batches.load()
  }

  close(): void {
    this.#state.close()
  }
}
