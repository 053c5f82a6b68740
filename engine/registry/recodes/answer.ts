import { EngineError } from '../../shared/errors.ts'
import {
  type OptionalReaders,
  type Reader,
  readList,
  readMembers,
  readText,
} from '../../shared/input/json-members.ts'
import { requireParameter } from '../../shared/input/required-parameter.ts'
import { MAX_TUMOURS } from '../multiple-primaries/patient.ts'
import type {
  PatientRecode,
  PatientVersion,
  Recode,
  RecodeVersion,
  SiteGroup,
  Texts,
} from './recode.ts'
import { SITE_GROUPS } from './site-groups.ts'

/**
 * Recodes parsed JSON and returns the inputs together with the outputs.
 * @throws EngineError `bad_input`, naming the member, if the input is not an object, a member is neither a
 * text nor null, or a required member is missing or empty
 */
export type AnswerRecode = (input: unknown) => Texts

/** Creates the function that recodes with one version. */
export function makeAnswer({ inputs, required }: Recode, version: RecodeVersion): AnswerRecode {
  const read = readTexts(inputs)
  const recode = version.make()
  return (input) => {
    const texts = read(input, '')
    for (const name of required) requireParameter(texts[name] || undefined, name)
    return { ...texts, ...recode(texts) }
  }
}

/** A patient and its tumors, each with its inputs and outputs. */
export interface RecodedPatient {
  readonly [name: string]: string | undefined | readonly Texts[]
  readonly tumors: readonly Texts[]
}

/**
 * Recodes a patient given as parsed JSON.
 * @throws EngineError `bad_input`, naming the member, as AnswerRecode does, and for more than 100 tumors
 */
type AnswerPatient = (input: unknown) => RecodedPatient

/** Creates the function that recodes patients with one version. */
export function makePatientTexts(
  { inputs, required, tumorInputs }: PatientRecode,
  { answer }: PatientVersion,
  today: string,
): AnswerPatient {
  interface Given {
    readonly tumors: readonly Texts[]
  }
  const readTumors: Reader<readonly Texts[]> = readList(readTexts(tumorInputs))
  const read = readTexts(inputs)
  const readGiven = readMembers<Given>({ tumors: atMost(MAX_TUMOURS, readTumors) }, {})
  return (input) => {
    const { tumors } = readGiven(input, '')
    const texts = read(input, '')
    for (const name of required) requireParameter(texts[name] || undefined, name)
    const { patient, tumors: answers } = answer(texts, tumors, today)
    return {
      ...texts,
      ...patient,
      tumors: tumors.map((tumor, i) => ({ ...tumor, ...answers[i] })),
    }
  }
}

function readTexts(inputs: Recode['inputs']): Reader<Texts> {
  const readers = Object.keys(inputs).map((name) => [name, readText] as const)
  return readMembers<Texts>({}, Object.fromEntries(readers) as OptionalReaders<Texts>)
}

function atMost<T>(max: number, read: Reader<readonly T[]>): Reader<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length <= max) return read(value, at)
    const message = `"${at}" has ${value.length} elements; give at most ${max}`
    throw new EngineError('bad_input', message, { at })
  }
}

/**
 * Finds a recode by id.
 * @throws EngineError `bad_input` for an unknown id
 */
export function findRecode<T extends { readonly id: string }>(
  recodes: readonly T[],
  id: string,
): T {
  return found(recodes, id, 'recode')
}

/**
 * Finds a site group.
 * @throws EngineError `bad_input` for an algorithm that is not part of the published API
 */
export function findSiteGroup(id: string): SiteGroup {
  return found(SITE_GROUPS, id, 'algorithm')
}

/**
 * Finds a version by name. Defaults to the first.
 * @throws EngineError `bad_input` for an unknown version
 */
export function findVersion<T extends { readonly id: string }>(
  { versions }: { readonly versions: readonly [T, ...T[]] },
  id: string | undefined,
): T {
  return id === undefined ? versions[0] : found(versions, id, 'version')
}

function found<T extends { readonly id: string }>(all: readonly T[], id: string, kind: string): T {
  const one = all.find((candidate) => candidate.id === id)
  if (one) return one
  const ids = all.map((candidate) => candidate.id).join(', ')
  throw new EngineError('bad_input', `there is no such ${kind}; give one of ${ids}`, { at: kind })
}
