import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { openEngine } from 'casemill'
import { ThreadPool } from 'casemill/workers'

// Stages the tumours of patients, groups them by site, and tells how many primaries each patient has. A file
// has a patient on each line, as a list of tumours in JSON.
//   registrar.ts DATA_FOLDER ALGORITHM VERSION PATIENTS.ndjson

interface Tumour {
  readonly primary_site: string
  readonly histology_icd_o3: string
  readonly behavior_icd_o3: string
  readonly laterality?: string
  readonly date_of_diagnosis_year: string
  /** Further inputs that the schema of the tumour needs. */
  readonly inputs?: Readonly<Record<string, string>>
}

const [dataFolder, algorithm, version, path] = process.argv.slice(2)
if (!dataFolder || !algorithm || !version || !path) {
  throw new Error('give a data folder, an algorithm of it, its version, and a file of patients')
}

const executor = new ThreadPool({ threads: 1 })
const engine = await openEngine({ dataFolder, executor })
try {
  const { staging, recodes, multiplePrimaries } = engine.registry
  const caller = { user: 'example', roles: new Set<never>() }
  console.log('patient\ttumour\tprimary\tsite_group\tschema\tresult')
  let patient = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    patient++
    const given = JSON.parse(line) as readonly Tumour[]
    // Members that are for staging alone are not the rules' business.
    const tumours = given.map(({ inputs: _inputs, ...tumour }) => tumour)
    const { tumours: placed, groups } = await multiplePrimaries.patient({ tumours })
    for (const [place, { input: number }] of placed.entries()) {
      const tumour = given[number]
      if (!tumour) continue
      const site = tumour.primary_site
      const hist = tumour.histology_icd_o3
      const behavior = tumour.behavior_icd_o3
      const group = recodes.recode({ site, hist, behavior }, { recode: 'seer' })
      const staged = await staging
        .version(caller, { algorithm, version })
        .stage({ site, hist, year_dx: tumour.date_of_diagnosis_year, ...tumour.inputs })
      const primary = groups.findIndex((members) => members.includes(place)) + 1
      const cells = [
        patient,
        number + 1,
        primary,
        group.site_group,
        staged.schema_id,
        staged.result,
      ]
      console.log(cells.join('\t'))
    }
  }
} finally {
  await engine.close()
  await executor.close()
}
