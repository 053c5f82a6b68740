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
 * Answers inputs, as JSON that was parsed, by the inputs that were given and what they are recoded to.
 * @throws EngineError bad_input naming the member, for what is no object, a member that is neither a
 * text nor null, and one that is missing or empty and must not be
 */
export type AnswerRecode = (input: unknown) => Texts

/** Makes what answers by one version of a recode. */
export function makeAnswer({ inputs, required }: Recode, version: RecodeVersion): AnswerRecode {
  const read = readTexts(inputs)
  const recode = version.make()
  return (input) => {
    const texts = read(input, '')
    for (const name of required) requireParameter(texts[name] || undefined, name)
    return { ...texts, ...recode(texts) }
  }
}

/** A patient and the tumours, each as it was given with what was answered. */
export interface RecodedPatient {
  readonly [name: string]: string | undefined | readonly Texts[]
  readonly tumors: readonly Texts[]
}

/**
 * Answers patients, as JSON that was parsed.
 * @throws EngineError bad_input naming the member, as AnswerRecode, and for more than 100 tumours
 */
export type AnswerPatient = (input: unknown) => RecodedPatient

/** Makes what answers by one version of a recode of patients. */
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
      ...{ ...texts, ...patient },
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

/** @throws EngineError bad_input for a recode that is not in the list */
export function findRecode<T extends { readonly id: string }>(
  recodes: readonly T[],
  id: string,
): T {
  return found(recodes, id, 'recode')
}

/** @throws EngineError bad_input for what is no algorithm of the published interface */
export function findSiteGroup(id: string): SiteGroup {
  return found(SITE_GROUPS, id, 'algorithm')
}

/**
 * A version by its name; the first without a name.
 * @throws EngineError bad_input for one that the recode does not have
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
