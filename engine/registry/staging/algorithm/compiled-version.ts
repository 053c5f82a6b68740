import { CacheBudget } from './cache-budget.ts'
import { Derivation, type KnownFacts } from './derive.ts'
import { CONTEXT_VERSION, CONTEXT_YEAR, type ContextValues, KeySlots } from './key-slots.ts'
import type { StagingSchema, VersionContent } from './model.ts'
import { OutputReach } from './output-reach.ts'
import { planSchema, type SchemaPlan } from './schema-plan.ts'
import { Selection } from './selection.ts'
import { TableIndex } from './table-index.ts'
import { yearOfSystem } from './year-clock.ts'

interface CompileOptions {
  /** Returns the current year in four digits (registry.md rule 3). Defaults to the system clock. */
  readonly yearNow?: (() => string) | undefined
  /** Table facts to share with other versions. New facts are added to them. */
  readonly facts?: KnownFacts
}

/**
 * A version of an algorithm, prepared for evaluation. It never changes: an edit creates a new one, and cases in
 * progress finish with the old one. Schemas and tables are compiled on first use. `fill` compiles all of them.
 */
export class CompiledVersion {
  readonly content: VersionContent
  readonly keys = new KeySlots()
  readonly yearNow: () => string
  readonly versionSlot = this.keys.slotOf(CONTEXT_VERSION)
  readonly yearSlot = this.keys.slotOf(CONTEXT_YEAR)
  readonly #facts: KnownFacts
  readonly #cacheBudget = new CacheBudget()
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

  /** Returns the table with this id, or undefined if there is none. */
  table(id: string): TableIndex | undefined {
    const known = this.#tables.get(id)
    if (known) return known
    const table = this.content.tables.get(id)
    if (!table) return undefined
    const index = new TableIndex(table, { keys: this.keys, cacheBudget: this.#cacheBudget })
    this.#tables.set(id, index)
    return index
  }

  /** Returns the plan of the schema with this id, or undefined if there is none. */
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

  /** Computes the members of schemas and tables that are not stored, such as `involved_tables`. */
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

  /** Returns an analysis of what the outputs of a schema depend on. */
  reachOf(schema: StagingSchema): OutputReach {
    const known = this.#reaches.get(schema.id)
    if (known) return known
    const reach = new OutputReach(schema, this)
    this.#reaches.set(schema.id, reach)
    return reach
  }

  /**
   * Returns a context in which only version and year are set. It is the same array each time, which is safe
   * because each evaluation ends before the next one starts.
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
   * Compiles all schemas and tables now.
   * @throws EngineError `bad_input` for a table with an invalid endpoint
   */
  fill(): void {
    for (const id of this.content.tables.keys()) void this.table(id)?.endpoints
    for (const id of this.content.schemas.keys()) this.plan(id)
    void this.selection
  }
}
