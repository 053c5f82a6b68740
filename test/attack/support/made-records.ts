import { EDITED_ID, EDITED_VERSION, type MadeHistory, schemaOf, tableOf } from './costly-records.ts'

type Ask = (method: string, path: string, body?: object) => Promise<unknown>

/**
 * Creates what editors could still make more expensive: a record of each area, and a version with a schema and a
 * table.
 */
export async function makeRecords(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<MadeHistory> {
  const ask: Ask = async (method, path, body) => {
    const answer = await fetch(`${address}/rest${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} is not taken: ${text.slice(0, 500)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const record = { id: EDITED_ID, name: 'Costly' }
  await ask('POST', '/disease/development/create', { ...record, type: 'SOLID_TUMOR' })
  await ask('POST', '/rx/development/create', { ...record, type: 'DRUG' })
  await ask('POST', '/glossary/development/create', record)
  const target = { algorithm: 'demo', version: EDITED_VERSION }
  await ask('POST', '/staging/demo/1.0/copy', target)
  const place = `/staging/demo/${EDITED_VERSION}`
  const description = 'x'.repeat(1_000_000)
  const table = { definition: [{ key: 'a', type: 'INPUT' }], rows: [['1']], description }
  await ask('POST', `${place}/table`, tableOf(table))
  const inputs = ['site', 'hist', 'year_dx'].map((key) => ({ key }))
  await ask('POST', `${place}/schema`, schemaOf({ inputs, description }))
  return {
    schema: await numberOf(ask, `${place}/schema/${EDITED_ID}/history`),
    table: await numberOf(ask, `${place}/table/${EDITED_ID}/history`),
  }
}

async function numberOf(ask: Ask, path: string): Promise<number> {
  const [entry] = (await ask('GET', path)) as readonly { readonly number: number }[]
  if (!entry) throw new Error(`${path} has no entry`)
  return entry.number
}
