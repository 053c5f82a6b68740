import { z } from '@hono/zod-openapi'
import type { MultiplePrimaries } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import { group, lineResult, pair, patient, patientResult, result } from './mph-shapes.ts'
import { defineOperation } from './operation.ts'

export interface MphEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly multiplePrimaries: Pick<MultiplePrimaries, keyof MultiplePrimaries>
}

const MPH = '/rest/mph'
const TAG = 'mph'
const NO_PATH_PARAMETERS = z.object({})
const NO_PAIR = 'A tumour is missing or is not an object, or a member is neither a string nor null.'

/** Endpoints for comparing tumours (registry-service.md 4.4, registry.md 2.4, 7.8), and some of our own. */
export function mphEndpoints({ keys, multiplePrimaries }: MphEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'POST',
      path: MPH,
      pathParameters: NO_PATH_PARAMETERS,
      body: pair,
      summary: 'Compare two tumours: one primary or several',
      description:
        'An invalid tumour returns status 200; `result` and `reason` state the error. The header `X-Warnings` lists years without four digits, and months and days that are invalid and count as unknown.',
      success: [200, result],
      failures: { 400: NO_PAIR },
      handle: ({ body, warnings }) =>
        multiplePrimaries.compare(body, { warn: (sentence) => warnings.add('body', sentence) }),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${MPH}/groups`,
      pathParameters: NO_PATH_PARAMETERS,
      summary: 'Ids of the groups of rules, in the order in which they are checked',
      success: [200, z.array(z.string())],
      failures: {},
      handle: () => multiplePrimaries.groups(),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${MPH}/group/{id}`,
      pathParameters: z.object({ id: z.string() }),
      summary: 'A group of rules: its criteria, and its rules in order',
      success: [200, group],
      failures: { 404: 'The group does not exist.' },
      handle: ({ path }) => multiplePrimaries.group(path.id),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${MPH}/patient`,
      pathParameters: NO_PATH_PARAMETERS,
      body: patient,
      summary: 'Compare all tumours of a patient with each other',
      description:
        'To see the rules that led to a result, compare the two tumours with `POST /rest/mph`. The header `X-Warnings` lists years without four digits, and months and days that are invalid and count as unknown.',
      success: [200, patientResult],
      failures: { 400: `There are more than 100 tumours. ${NO_PAIR}` },
      handle: ({ body, warnings }) =>
        multiplePrimaries.patient(body, { warn: (sentence) => warnings.add('body', sentence) }),
    }),
    defineLineBatch(keys, TAG, {
      path: `${MPH}/batch`,
      pathParameters: NO_PATH_PARAMETERS,
      summary: 'Compare pairs of tumours, one pair on each line',
      expected: 'a pair',
      line: pair,
      answer: lineResult,
      handle: ({ lines, signal }) => multiplePrimaries.compareLines(lines, { signal }),
    }),
  ])
}
