import { z } from '@hono/zod-openapi'
import {
  findSiteGroup,
  OTHER_RECODES,
  PATIENT_RECODES,
  type PatientRecode,
  type Recode,
  type Recodes,
  type RecodeTexts,
  SITE_GROUPS,
} from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import { defineOperation } from './operation.ts'
import { flag } from './query-parameters.ts'

export interface RecodeEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly recodes: Pick<Recodes, keyof Recodes>
}

const RECODE = '/rest/recode'
const SITE_GROUP = `${RECODE}/sitegroup`
const TAG = 'recode'
const NO_PATH_PARAMETERS = z.object({})
const NO_INPUT = 'A required input is missing, or the version does not exist.'
const NO_ALGORITHM = `The algorithm does not exist. ${NO_INPUT}`
const A_CASE = 'a case that can be recoded'
const A_PATIENT = 'a patient that can be recoded'

const algorithm = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string().describe('The default version'),
    required_input: z.array(z.string()),
  })
  .openapi('SiteGroupAlgorithm')

/** Endpoints for recodes (registry-lookups.md 1 and 4): site groups as published, then those of our own. */
export function recodeEndpoints(engine: RecodeEngine): readonly Endpoint[] {
  return Object.freeze([
    ...siteGroupEndpoints(engine),
    ...OTHER_RECODES.flatMap((recode) => endpointsOf(recode, engine)),
    ...PATIENT_RECODES.flatMap((recode) => patientEndpoints(recode, engine)),
  ])
}

function siteGroupEndpoints({ keys, recodes }: RecodeEngine): readonly Endpoint[] {
  const { line, version, answer } = shapesOf(SITE_GROUPS)
  const group = answer.openapi('SiteRecode')
  const ofAlgorithm = z.object({ algorithm: z.string() })
  const query = line.extend({
    ...version.shape,
    details: flag
      .default(false)
      .describe('true: adds further members, such as the name of the group'),
  })
  const alike = { method: 'GET', query, success: [200, group] } as const
  const recoded = ({ details, ...texts }: z.output<typeof query>, recode: string): RecodeTexts => {
    const result = recodes.recode(texts, { recode, version: texts.version })
    return details ? result : published(result)
  }
  return [
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${SITE_GROUP}/algorithms`,
      pathParameters: NO_PATH_PARAMETERS,
      summary: 'Algorithms that group sites and histologies',
      success: [200, z.array(algorithm)],
      failures: {},
      handle: () =>
        SITE_GROUPS.map(({ id, name, needed, versions: [{ name: version }] }) => ({
          id,
          name,
          version,
          required_input: needed,
        })),
    }),
    defineOperation(keys, TAG, {
      ...alike,
      path: SITE_GROUP,
      pathParameters: NO_PATH_PARAMETERS,
      summary: 'The group of a case by the algorithm `seer`',
      failures: { 400: NO_INPUT },
      handle: ({ query }) => recoded(query, 'seer'),
    }),
    defineOperation(keys, TAG, {
      ...alike,
      path: `${SITE_GROUP}/{algorithm}`,
      pathParameters: ofAlgorithm,
      summary: 'The group of a case',
      failures: { 400: NO_ALGORITHM },
      handle: ({ path, query }) => recoded(query, findSiteGroup(path.algorithm).id),
    }),
    defineLineBatch(keys, TAG, {
      path: `${SITE_GROUP}/{algorithm}/batch`,
      summary: 'The groups of cases, one on each line',
      expected: A_CASE,
      pathParameters: ofAlgorithm,
      query: version,
      line,
      answer: group,
      failures: { 400: 'The algorithm or the version does not exist.' },
      handle: ({ path, query, lines, signal }) => {
        const { id } = findSiteGroup(path.algorithm)
        return recodes.recodeLines(lines, { recode: id, version: query.version }, { signal })
      },
    }),
  ]
}

const PUBLISHED = ['site', 'hist', 'behavior', 'site_group'] as const

/** Removes members that are not in the published interface, because its clients fail on them. */
const published = (result: RecodeTexts): RecodeTexts =>
  Object.fromEntries(
    PUBLISHED.flatMap((name) => (result[name] === undefined ? [] : [[name, result[name]]])),
  )

function endpointsOf(recode: Recode, { keys, recodes }: RecodeEngine): readonly Endpoint[] {
  const { id, name } = recode
  const { line, version, answer } = shapesOf([recode])
  const path = `${RECODE}/${id}`
  return [
    defineOperation(keys, TAG, {
      method: 'GET',
      path,
      pathParameters: NO_PATH_PARAMETERS,
      query: line.extend(version.shape),
      summary: `${name} of a case`,
      success: [200, answer],
      failures: { 400: NO_INPUT },
      handle: ({ query }) => recodes.recode(query, { recode: id, version: query.version }),
    }),
    defineLineBatch(keys, TAG, {
      path: `${path}/batch`,
      summary: `${name} of cases, one on each line`,
      expected: A_CASE,
      pathParameters: NO_PATH_PARAMETERS,
      query: version,
      line,
      answer,
      failures: { 400: 'The version does not exist.' },
      handle: ({ query, lines, signal }) =>
        recodes.recodeLines(lines, { recode: id, version: query.version }, { signal }),
    }),
  ]
}

function patientEndpoints(recode: PatientRecode, { keys, recodes }: RecodeEngine): Endpoint[] {
  const { id, name } = recode
  const { body, version, answer } = patientShapes(recode)
  const path = `${RECODE}/${id}`
  return [
    defineOperation(keys, TAG, {
      method: 'POST',
      path,
      pathParameters: NO_PATH_PARAMETERS,
      query: version,
      body,
      summary: `${name} of the tumours of a patient`,
      success: [200, answer],
      failures: { 400: `There are more than 100 tumours. ${NO_INPUT}` },
      handle: ({ query, body: given }) =>
        recodes.recodePatient(given, { recode: id, version: query.version }),
    }),
    defineLineBatch(keys, TAG, {
      path: `${path}/batch`,
      summary: `${name} of the tumours of patients, one patient on each line`,
      expected: A_PATIENT,
      pathParameters: NO_PATH_PARAMETERS,
      query: version,
      line: body,
      answer,
      failures: { 400: 'The version does not exist.' },
      handle: ({ query, lines, signal }) =>
        recodes.recodeLines(lines, { recode: id, version: query.version }, { signal }),
    }),
  ]
}

function patientShapes(recode: PatientRecode) {
  const { tumorInputs, tumorOutputs } = recode
  const patient = shapesOf([recode])
  const tumor = shapesOf([{ ...recode, inputs: tumorInputs, outputs: tumorOutputs, required: [] }])
  const body = patient.line.extend({ tumors: z.array(tumor.line).describe('At most 100') })
  const answer = patient.answer.extend({ tumors: z.array(tumor.answer) })
  return { body, version: patient.version, answer }
}

/** The parts of a recode from which schemas are built. */
interface Shaped extends Pick<Recode, 'id' | 'inputs' | 'outputs' | 'required'> {
  readonly versions: readonly { readonly id: string }[]
}

/** Builds the schemas of inputs and results. The engine validates inputs, so that lines have equal errors. */
function shapesOf(recodes: readonly Shaped[]) {
  const inputs = Object.assign({}, ...recodes.map((one) => one.inputs))
  const outputs = Object.assign({}, ...recodes.map((one) => one.outputs))
  const isRequired = (name: string) => recodes.every(({ required }) => required.includes(name))
  const named = recodes.map(({ id, versions }) => {
    const ids = versions.map((one) => one.id).join(', ')
    return recodes.length === 1 ? ids : `${id}: ${ids}`
  })
  const described = Object.entries<string>(inputs).map(([name, what]) => [
    name,
    texts(isRequired(name) ? `${what}. Required` : what),
  ])
  const line = z.object(Object.fromEntries(described) as Record<string, typeof text>)
  const version = z.object({
    version: texts(
      `The edition; the first that is listed where none is named. ${named.join('; ')}`,
    ),
  })
  const answered = Object.entries<string>(outputs).map(([name, what]) => [name, texts(what)])
  const answer = line.extend(Object.fromEntries(answered) as Record<string, typeof text>)
  return { line, version, answer }
}

const text = z.string().optional()
const texts = (what: string) => text.describe(what)
