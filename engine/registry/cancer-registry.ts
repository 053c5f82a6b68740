import { join } from 'node:path'
import { checkDatabase } from '../shared/catalogue/check-state.ts'
import { statePath } from '../shared/catalogue/state.ts'
import type { Database } from '../shared/database/database.ts'
import type { Issue } from '../shared/issue.ts'
import type { Shared } from '../shared/shared.ts'
import { Hcpcs } from './codes/hcpcs/hcpcs.ts'
import { Ndc } from './codes/ndc/ndc.ts'
import { CONVERSIONS_NAME, RegistryConversions } from './conversions/registry-conversions.ts'
import { RegistryEdits } from './edits/registry-edits.ts'
import { MultiplePrimaries } from './multiple-primaries/service.ts'
import { Naaccr } from './naaccr/naaccr.ts'
import { RegistryFiles } from './naaccr-xml/registry-files.ts'
import { LineBatches } from './ndjson-batch/line-batches.ts'
import { openAreas, type PublishingAreas } from './publishing/areas.ts'
import { Recodes } from './recodes/service.ts'
import { Staging } from './staging/store/service.ts'
import { Surgery } from './surgery/surgery.ts'

interface CancerRegistryOptions {
  /** Returns the current year in four digits. Defaults to the system clock. */
  readonly yearNow?: (() => string) | undefined
  /** Path of the file that assigns staging algorithms to tumors. Defaults to the published table. */
  readonly algorithmTable?: string | undefined
  /** File of edit rules for registry files. Defaults to the rules in the package. */
  readonly editRules?: string | undefined
}

/** Reference data of a cancer registry. */
export class CancerRegistry {
  readonly keys: Shared['keys']
  readonly staging: Staging
  readonly ndc: Ndc
  readonly hcpcs: Hcpcs
  readonly surgery: Surgery
  readonly naaccr: Naaccr
  readonly files: RegistryFiles
  readonly edits: RegistryEdits
  readonly conversions: RegistryConversions
  readonly multiplePrimaries: MultiplePrimaries
  readonly recodes: Recodes
  readonly rx: PublishingAreas['rx']
  readonly glossary: PublishingAreas['glossary']
  readonly disease: PublishingAreas['disease']
  readonly terms: PublishingAreas['terms']
  readonly primaries: PublishingAreas['primaries']
  readonly #state: Database
  readonly #statePath: string
  readonly #batches: LineBatches

  constructor(
    { dataFolder, executor, clock, keys, state, turns }: Shared,
    { yearNow, algorithmTable, editRules }: CancerRegistryOptions = {},
  ) {
    this.keys = keys
    this.#state = state
    this.#statePath = statePath(dataFolder)
    const batches = new LineBatches(executor)
    this.#batches = batches
    const ofLines = { state, batches, yearNow }
    this.staging = new Staging({
      ...ofLines,
      clock,
      turns,
      findTerms: (texts, request) => this.terms.findInStored(texts, request),
    })
    this.multiplePrimaries = new MultiplePrimaries({ ...ofLines, turns })
    this.recodes = new Recodes({ batches })
    const samePrimaries = () => this.multiplePrimaries.samePrimaries()
    const areas = openAreas({ state, clock, turns, samePrimaries })
    this.rx = areas.rx
    this.glossary = areas.glossary
    this.disease = areas.disease
    this.terms = areas.terms
    this.primaries = areas.primaries
    this.ndc = new Ndc({ state, clock })
    this.hcpcs = new Hcpcs({ state, clock })
    this.surgery = new Surgery({ state, yearNow })
    this.naaccr = new Naaccr({ state })
    this.files = new RegistryFiles({
      batches,
      multiplePrimaries: this.multiplePrimaries,
      algorithmTable,
      turns,
      clock,
    })
    this.edits = new RegistryEdits({ batches, ruleFile: editRules, turns, clock })
    const folder = join(dataFolder, CONVERSIONS_NAME)
    this.conversions = new RegistryConversions({ batches, folder, turns, clock })
  }

  /** Verifies the database, the staging algorithms and the published records. Yields each problem. */
  async *check(): AsyncGenerator<Issue> {
    yield* checkDatabase(this.#state, this.#statePath)
    yield* this.staging.check()
    for (const area of [this.rx, this.glossary, this.disease]) yield* area.check()
  }

  /** Returns the load figures for monitoring. */
  load() {
    return this.#batches.load()
  }
}
