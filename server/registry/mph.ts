import { z } from '@hono/zod-openapi'
import type { MultiplePrimaries } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineLineBatch } from './line-batch.ts'
import { group, lineResult, pair, patient, patientResult, result } from './mph-shapes.ts'
import { defineOperation } from './operation.ts'

export interface MphEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** Only its methods, so that tests can replace it. */
  readonly multiplePrimaries: Pick<MultiplePrimaries, keyof MultiplePrimaries>
}

const MPH = '/rest/mph'
const TAG = 'mph'
const NO_NAMES = z.object({})
const NO_PAIR = 'A tumour is missing or no object, or a member is neither a text nor null.'

/**
 * Endpoints for the comparison of tumours (registry-service.md 4.4, registry.md 2.4, 7.8; the last two are
 * our own).
 */
export function mphEndpoints({ keys, multiplePrimaries }: MphEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'POST',
      path: MPH,
      names: NO_NAMES,
      body: pair,
      summary: 'Compare two tumours: one primary or several',
      description:
        'What is wrong with a tumour is reported by `result` and `reason`, with status 200. `X-Warnings` names dates that are taken otherwise than they may be meant.',
      success: [200, result],
      failures: { 400: NO_PAIR },
      handle: ({ body, warnings }) =>
        multiplePrimaries.compare(body, { warn: (sentence) => warnings.add('body', sentence) }),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${MPH}/groups`,
      names: NO_NAMES,
      summary: 'Ids of the groups of rules, in the order in which they are tried',
      success: [200, z.array(z.string())],
      failures: {},
      handle: () => multiplePrimaries.groups(),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${MPH}/group/{id}`,
      names: z.object({ id: z.string() }),
      summary: 'A group of rules: what falls into it, and its rules in their order',
      success: [200, group],
      failures: { 404: 'The group does not exist.' },
      handle: ({ path }) => multiplePrimaries.group(path.id),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${MPH}/patient`,
      names: NO_NAMES,
      body: patient,
      summary: 'Compare all tumours of a patient with each other',
      description:
        'The rules that led to a result are reported by the comparison of the two alone. `X-Warnings` names dates that are taken otherwise than they may be meant.',
      success: [200, patientResult],
      failures: { 400: `There are more than 100 tumours. ${NO_PAIR}` },
      handle: ({ body, warnings }) =>
        multiplePrimaries.patient(body, { warn: (sentence) => warnings.add('body', sentence) }),
    }),
    defineLineBatch(keys, TAG, {
      path: `${MPH}/batch`,
      names: NO_NAMES,
      summary: 'Compare pairs of tumours, one pair on each line',
      wrong: 'no pair',
      line: pair,
      answer: lineResult,
      handle: ({ lines, signal }) => multiplePrimaries.compareLines(lines, { signal }),
    }),
  ])
}
