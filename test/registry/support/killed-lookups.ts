import { join } from 'node:path'
import { Naaccr } from '../../../engine/registry/naaccr/naaccr.ts'
import { Surgery } from '../../../engine/registry/surgery/surgery.ts'
import type { Database, Transaction } from '../../../engine/shared/database/database.ts'
import type { Parameters } from '../../../engine/shared/database/values.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { naaccrFiles } from './naaccr-files.ts'

// Imports surgery tables or the documentation of items, and ends as by kill -9 after the given number of written
// rows.

const [dataFolder = '', area = '', folder = '', rows = ''] = process.argv.slice(2)
const state = sharedState({ dataFolder })
let written = 0

const count = () => {
  if (written++ >= Number(rows)) process.kill(process.pid, 'SIGKILL')
}

function counting(transaction: Transaction): Transaction {
  return {
    all: (sql, parameters) => transaction.all(sql, parameters),
    get: (sql, parameters) => transaction.get(sql, parameters),
    each: (sql, parameters) => transaction.each(sql, parameters),
    run(sql, parameters) {
      count()
      return transaction.run(sql, parameters)
    },
    async runEach(sql, all) {
      if (!(Symbol.iterator in all)) throw new Error('these imports give rows')
      for (const row of all as Iterable<Parameters>) {
        count()
        await transaction.run(sql, row)
      }
    },
  }
}

const killed: Database = {
  dialect: state.dialect,
  ask: (sql, parameters) => state.ask(sql, parameters),
  read: (work, options) => state.read(work, options),
  write: (work, options) =>
    state.write(async (transaction) => {
      const result = await work(counting(transaction))
      // Everything is written, and nothing is committed.
      count()
      return result
    }, options),
  availability: () => state.availability(),
  close: () => state.close(),
}

if (area === 'surgery') {
  await new Surgery({ state: killed }).import([join(folder, 'tables-2014.xml')])
} else await new Naaccr({ state: killed }).import(naaccrFiles(folder))
