import { Derivation, type KnownFacts } from './derive.ts'
import { CONTEXT_VERSION, CONTEXT_YEAR, type ContextValues, KeySlots } from './key-slots.ts'
import { Learning } from './learning.ts'
import type { StagingSchema, VersionContent } from './model.ts'
import { OutputReach } from './output-reach.ts'
import { planSchema, type SchemaPlan } from './schema-plan.ts'
import { Selection } from './selection.ts'
import { TableIndex } from './table-index.ts'
import { yearOfSystem } from './year-clock.ts'

export interface CompileOptions {
  /** The current year in four digits (rule 3); left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
  /** What other versions have read of tables, added to. */
  readonly facts?: KnownFacts
}

/**
 * An algorithm version made ready for evaluation. What it answers never changes; an edit makes a
 * new one, and cases under way end on the one they began with. Schemas and tables are compiled
 * when a case first needs them, or all at once by `fill`.
 */
export class CompiledVersion {
  readonly content: VersionContent
  readonly keys = new KeySlots()
  readonly yearNow: () => string
  readonly versionSlot = this.keys.slotOf(CONTEXT_VERSION)
  readonly yearSlot = this.keys.slotOf(CONTEXT_YEAR)
  readonly #facts: KnownFacts
  readonly #learning = new Learning()
  readonly #tables = new Map<string, TableIndex>()
  readonly #plans = new Map<string, SchemaPlan>()
  #selection: Selection | undefined
  #derivation: Derivation | undefined
  #inputKeys: ReadonlySet<string> | undefined
  readonly #reaches = new Map<string, OutputReach>()
  #values: ContextValues = []

  constructor(
    content: VersionContent,
    { yearNow = yearOfSystem(), facts = new WeakMap() }: CompileOptions = {},
  ) {
    this.content = content
    this.yearNow = yearNow
    this.#facts = facts
  }

  /** The table of that id, undefined where the version has none. */
  table(id: string): TableIndex | undefined {
    const known = this.#tables.get(id)
    if (known) return known
    const table = this.content.tables.get(id)
    if (!table) return undefined
    const index = new TableIndex(table, { keys: this.keys, learning: this.#learning })
    this.#tables.set(id, index)
    return index
  }

  /** The schema of that id, undefined where the version has none. */
  plan(id: string): SchemaPlan | undefined {
    const known = this.#plans.get(id)
    if (known) return known
    const schema = this.content.schemas.get(id)
    if (!schema) return undefined
    const plan = planSchema(schema, { keys: this.keys, findTable: (table) => this.table(table) })
    this.#plans.set(id, plan)
    return plan
  }

  /** Finds schemas by site, histology and discriminators. */
  get selection(): Selection {
    this.#selection ??= new Selection(this)
    return this.#selection
  }

  /** Finds what follows from schemas and tables. */
  get derivation(): Derivation {
    this.#derivation ??= new Derivation(this.content.tables, this.#facts)
    return this.#derivation
  }

  /** Keys of the inputs of all schemas. */
  get inputKeys(): ReadonlySet<string> {
    this.#inputKeys ??= new Set(
      [...this.content.schemas.values()].flatMap(({ inputs }) => inputs.map(({ key }) => key)),
    )
    return this.#inputKeys
  }

  /** Finds which outputs of a schema depend on a table or a value. */
  reachOf(schema: StagingSchema): OutputReach {
    const known = this.#reaches.get(schema.id)
    if (known) return known
    const reach = new OutputReach(schema, this)
    this.#reaches.set(schema.id, reach)
    return reach
  }

  /**
   * A context that holds the context variables alone. It is one and the same array each time: an
   * evaluation is done with it before the next begins.
   */
  freshContext(): ContextValues {
    const values = this.#values
    const { length } = this.keys.keys
    values.fill(undefined)
    while (values.length < length) values.push(undefined)
    values[this.versionSlot] = this.content.version
    values[this.yearSlot] = this.yearNow()
    return values
  }

  /**
   * Compiles all of it now.
   * @throws EngineError bad_input for a table with a cell that is no endpoint
   */
  fill(): void {
    for (const id of this.content.tables.keys()) void this.table(id)?.endpoints
    for (const id of this.content.schemas.keys()) this.plan(id)
    void this.selection
  }
}
