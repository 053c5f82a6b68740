import { NaiveVersion } from '../../../bench/registry/staging/naive.ts'
import { CompiledVersion } from '../../../engine/registry/staging/algorithm/compiled-version.ts'
import { Evaluation } from '../../../engine/registry/staging/algorithm/evaluation.ts'
import { lookupSchemas } from '../../../engine/registry/staging/algorithm/lookup.ts'
import { isCodeValid, matchTable } from '../../../engine/registry/staging/algorithm/match.ts'
import type {
  StagingSchema,
  VersionContent,
} from '../../../engine/registry/staging/algorithm/model.ts'
import type {
  InputMap,
  StagingData,
  StagingError,
} from '../../../engine/registry/staging/algorithm/result.ts'
import { stage } from '../../../engine/registry/staging/algorithm/stage.ts'
import { trimmed } from '../../../engine/registry/staging/algorithm/values.ts'

/** The year in which all vectors were made. */
export const YEAR = '2026'

interface Processed {
  readonly failed: boolean
  readonly context: Readonly<Record<string, string | null>>
  readonly errors: readonly StagingError[]
  readonly path: readonly string[]
}

/** The functions that the engine and the row-scan interpreter share, so that the same tests apply to both. */
export interface StagingEngine {
  stage(input: InputMap): StagingData
  lookup(input: InputMap): string[]
  /** Returns the number of the matching row, or -1. */
  match(table: string, input: InputMap): number
  isCodeValid(schema: string, key: string, value?: string): boolean
  /** Processes a single schema, and returns the resulting context. */
  process(schema: StagingSchema, context: InputMap): Processed
}

export const ENGINES = {
  'the compiled engine': compiled,
  'the row-scan interpreter': naive,
} as const

export type EngineName = keyof typeof ENGINES

function compiled(content: VersionContent): StagingEngine {
  const version = new CompiledVersion(content, { yearNow: () => YEAR })
  return {
    stage: (input) => stage(version, input),
    lookup: (input) => lookupSchemas(version, input),
    match: (table, input) => matchTable(version, table, input).row ?? -1,
    isCodeValid: (schema, key, value) =>
      isCodeValid(version, { schema, key, ...(value === undefined ? {} : { value }) }),
    process: ({ id }, context) => processed(version, id, context),
  }
}

/** Continues as `stage` does, and returns the whole context at the end. */
function processed(version: CompiledVersion, schema: string, context: InputMap): Processed {
  const plan = version.plan(schema)
  if (!plan) throw new Error(`the version has no schema ${schema}`)
  const { keys } = version
  const values: (string | null | undefined)[] = []
  for (const [key, value] of Object.entries(context)) {
    values[keys.slotOf(key)] = value === null ? null : trimmed(value)
  }
  const evaluation = new Evaluation(plan, values)
  const { errors, path } = evaluation
  const failed = !evaluation.takeInputs()
  if (!failed) {
    evaluation.putInitial()
    evaluation.followMappings()
    evaluation.judgeOutputs()
  }
  const kept = plan.outputs.map(({ slot }) => slot)
  const left = keys.keys.flatMap((key, slot) => {
    const value = values[slot]
    const isDropped = !failed && kept.length > 0 && !kept.includes(slot)
    return value === undefined || isDropped ? [] : [[key, value] as const]
  })
  return { failed, context: Object.fromEntries(left), errors, path }
}

function naive(content: VersionContent): StagingEngine {
  const version = new NaiveVersion(content, YEAR)
  return {
    stage: (input) => version.stage(input),
    lookup: (input) => version.lookup(input),
    match: (table, input) => version.match(table, input),
    isCodeValid: (schema, key, value) => version.isCodeValid(schema, key, value),
    process: (schema, given) => {
      const { context, ...rest } = version.process(schema, new Map(Object.entries(given)))
      return { ...rest, context: Object.fromEntries(context) }
    },
  }
}
