import { json } from 'node:stream/consumers'
import { openEngine } from 'casemill'
import { ThreadPool } from 'casemill/workers'

// Compares the survival of cohorts of a data folder, one for each value of a field of cases.
//   survival.ts DATA_FOLDER FIELD VALUE...

interface Curves {
  readonly results: readonly {
    readonly donors: readonly {
      /** Time in days. */
      readonly time: number
      readonly censored: boolean
      /** Estimated fraction of donors who survive that day. */
      readonly survivalEstimate: number
    }[]
  }[]
  readonly overallStats: { readonly chiSquared?: number; readonly pValue?: number }
}

const [dataFolder, field, ...values] = process.argv.slice(2)
if (!dataFolder || !field) throw new Error('give a data folder, a field of cases, and its values')

const executor = new ThreadPool({ threads: 2 })
const engine = await openEngine({ dataFolder, executor })
try {
  await engine.commons.start()
  const filters = values.map((value) => ({ op: '=', content: { field, value } }))
  await using answer = await engine.commons.survival.curves({
    filters,
    intervals: false,
    pretty: false,
  })
  const { results, overallStats } = (await json(answer.body)) as Curves

  console.log('cohort\tdonors\tdeaths\tmedian')
  for (const [i, { donors }] of results.entries()) {
    const deaths = donors.filter(({ censored }) => !censored).length
    const median = donors.find(({ survivalEstimate }) => survivalEstimate <= 0.5)
    console.log([values[i] ?? 'all', donors.length, deaths, median?.time ?? 'NA'].join('\t'))
  }
  const { chiSquared, pValue } = overallStats
  if (pValue !== undefined) console.log(`chi-squared ${chiSquared}\tp ${pValue}`)
} finally {
  await engine.close()
  await executor.close()
}
