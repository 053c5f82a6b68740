import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openEngine } from 'casemill'
import { DATASET_NAMES } from 'casemill/commons'
import { ThreadPool } from 'casemill/workers'

// Creates a table in a DuckDB database from all records of a dataset, such as cases or files.
//   table-to-duckdb.ts DATA_FOLDER DATASET DATABASE [FIELD...]

const [dataFolder, name, database, ...fields] = process.argv.slice(2)
const dataset = DATASET_NAMES.find((each) => each === name)
if (!dataFolder || !dataset || !database) {
  throw new Error(`give a data folder, one of ${DATASET_NAMES.join(', ')}, and a database file`)
}

const folder = await mkdtemp(join(tmpdir(), 'table-'))
const executor = new ThreadPool({ threads: 2 })
const engine = await openEngine({ dataFolder, executor })
try {
  await engine.commons.start()
  await using answer = await engine.commons.search.search(dataset, {
    fields,
    from: 0,
    size: Number.MAX_SAFE_INTEGER,
    format: 'parquet',
    pretty: false,
  })
  const parquet = join(folder, 'records.parquet')
  await writeFile(parquet, answer.body)

  const instance = await DuckDBInstance.create(database)
  const connection = await instance.connect()
  await connection.run(`CREATE OR REPLACE TABLE ${dataset} AS FROM read_parquet('${parquet}')`)
  const [[rows] = []] = (
    await connection.runAndReadAll(`SELECT count(*) FROM ${dataset}`)
  ).getRows()
  const columns = (await connection.runAndReadAll(`DESCRIBE ${dataset}`)).getRowObjects()
  const described = columns.map(({ column_name, column_type }) => `${column_name} ${column_type}`)
  console.log(`${dataset}\t${rows} rows\t${described.join(', ')}`)
  connection.closeSync()
  instance.closeSync()
} finally {
  await engine.close()
  await executor.close()
  await rm(folder, { recursive: true })
}
