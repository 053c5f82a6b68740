import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { MphOutcome } from '../../../engine/registry/multiple-primaries/result.ts'
import type { TumourPair } from '../../../engine/registry/multiple-primaries/tumour.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import type { Judged } from './naive.ts'
import { hasTables } from './naive-data.ts'

export type InputName = 'full' | 'quick' | 'test'

/** The year that all recorded pairs assume. */
export const YEAR = 2026

const VECTORS = publicData('vectors/mph/peer-random.jsonl.gz')

/** Whether the recorded pairs, and the tables for the peer, are beside the checkout. */
export const hasRecorded = existsSync(VECTORS) && hasTables

/** A pair and what the original library said of it. */
export interface Recorded {
  readonly pair: TumourPair
  readonly result: MphOutcome
  readonly group: string | null
  readonly step: string | null
  readonly appliedSteps: readonly string[]
}

/** Every so manieth of the random pairs. */
const STEPS: Readonly<Record<InputName, number>> = { full: 1, quick: 9, test: 50 }

interface Line extends TumourPair {
  readonly expected: {
    readonly result: MphOutcome
    readonly group_id: string | null
    readonly step: string | null
    readonly applied_steps: readonly string[]
  }
}

/** The targeted random pairs of the vectors, of all modules, in the order they were drawn. */
export function readPairs(name: InputName): Recorded[] {
  const lines = gunzipSync(readFileSync(VECTORS)).toString().trimEnd().split('\n')
  return lines
    .filter((_, i) => i % STEPS[name] === 0)
    .map((line) => JSON.parse(line) as Line)
    .map(({ input1, input2, expected: { result, group_id, step, applied_steps } }) => ({
      pair: { input1, input2 },
      result,
      group: group_id,
      step,
      appliedSteps: applied_steps,
    }))
}

/** The pairs as newline-delimited JSON. */
export function linesOf(pairs: readonly Recorded[]): string {
  return pairs.map(({ pair }) => `${JSON.stringify(pair)}\n`).join('')
}

/** Pairs by the module that decides them; `none` has those that are decided without one. */
export function byModule(pairs: readonly Recorded[]): Map<string, TumourPair[]> {
  const modules = new Map<string, TumourPair[]>()
  for (const { group, pair } of pairs) {
    const name = group ?? 'none'
    modules.set(name, [...(modules.get(name) ?? []), pair])
  }
  return modules
}

/**
 * How many pairs come to each outcome.
 * @throws Error when a result is not as it was recorded
 */
export function countOutcomes(
  pairs: readonly Recorded[],
  compare: (pair: TumourPair) => Judged,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of pairs) {
    const result = compare(one.pair)
    if (!isAsRecorded(one, result)) {
      throw new Error(`a pair is judged otherwise: ${JSON.stringify({ ...one, result })}`)
    }
    counts[result.result] = (counts[result.result] ?? 0) + 1
  }
  return counts
}

function isAsRecorded(wanted: Recorded, answer: Judged): boolean {
  const { result, group_id = null, step = null, applied_rules } = answer
  return (
    result === wanted.result &&
    group_id === wanted.group &&
    step === wanted.step &&
    applied_rules.map((rule) => rule.step).join() === wanted.appliedSteps.join()
  )
}
