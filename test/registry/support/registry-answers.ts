import { STATUS_CODES } from 'node:http'
import { expect } from 'vitest'

// Checks every answer of the registry's interface as a strict client does (registry.md 1).

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DATES: readonly string[] = [
  ...['first_published', 'last_modified', 'date', 'timestamp'],
  ...['date_added', 'date_modified', 'date_removed', 'date_created', 'date_of_publication'],
]

/** Members whose own members are named by the user's data. */
const MAPS: readonly string[] = ['input', 'output', 'field_notes']

/** Editions of a classification have prefixed names. */
const NAME = /^(?:icdO[123]_)?[a-z][a-z0-9_]*$/

/**
 * Checks the body of a success: JSON without null members, names in snake_case except in maps, and dates in the
 * required form.
 */
export async function successOf(
  response: Response,
  status: number,
  isMap = false,
): Promise<unknown> {
  const text = await response.text()
  expect({ status: response.status, text }).toMatchObject({ status })
  expect(['no-store', 'private, no-cache']).toContain(response.headers.get('cache-control'))
  // A cacheable answer has a validator and belongs to one key.
  if (response.headers.get('cache-control') !== 'no-store') {
    expect(response.headers.get('etag')).toMatch(/^"[\d.]+"$/)
    expect(response.headers.get('vary')).toBe('X-SEERAPI-Key')
  }
  if (status === 204) {
    expect(text).toBe('')
    return undefined
  }
  expect(response.headers.get('content-type')).toBe('application/json')
  const body: unknown = JSON.parse(text)
  expect(faultsIn(body, 'body', isMap)).toEqual([])
  return body
}

/** Checks that the error body has exactly the members of 1.3, and returns its message. */
export async function failureOf(response: Response, status: number, path: string): Promise<string> {
  const text = await response.text()
  expect({ status: response.status, text }).toMatchObject({ status })
  expect(response.headers.get('content-type')).toBe('application/json')
  const body = JSON.parse(text)
  expect(Object.keys(body)).toEqual(['timestamp', 'status', 'error', 'message', 'path'])
  expect(body).toEqual({
    timestamp: expect.stringMatching(DATE),
    status,
    error: STATUS_CODES[status],
    message: expect.stringMatching(/\S/),
    path,
  })
  return body.message
}

function faultsIn(value: unknown, place = 'body', isMap = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${place}.${name}`
    // A null cell stands for no constraint (rule 4); no member is null.
    const isCell = /\.rows\.\d+\.\d+$/.test(at)
    return [
      ...(member === null && !isCell ? [`${at} is null`] : []),
      ...(isMap || Array.isArray(value) || NAME.test(name) ? [] : [`${at} is named`]),
      ...(DATES.includes(name) && !isMap && !DATE.test(String(member)) ? [`${at} is no date`] : []),
      ...faultsIn(member, at, MAPS.includes(name)),
    ]
  })
}
