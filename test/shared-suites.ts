// The tests to repeat with state in PostgreSQL, files in a bucket, or both; see places.ts.

export const SHARED_FILES: string[] = [
  'test/{commons,registry,submission}/**/!(*.ci).test.ts',
  'test/commons/contract/pinned-release.ci.test.ts',
  'test/commons/search/parquet-by-url.ci.test.ts',
  'test/ga4gh/htsget.test.ts',
  'test/attack/log-in.test.ts',
  'test/attack/strangers.test.ts',
  'test/login/log-in.test.ts',
  'test/attack/costly-requests.test.ts',
  'test/attack/left-streams.ci.test.ts',
]

const NO_FOLDER = 'no data folder has a part in it'
const FOLDER = 'it is about what lies in the data folder itself'
const OWN = 'it has databases and buckets of its own, of each kind'

/** Tests among them that a repetition would not add to, with reasons. */
export const OWN_PLACES: Readonly<Record<string, string>> = {
  'test/commons/contract/{search,slicing,system}-http.test.ts': NO_FOLDER,
  'test/commons/contract/search-wire.test.ts': NO_FOLDER,
  'test/commons/contract/download-accel.test.ts': `${FOLDER}: it is handed over by its paths`,
  'test/commons/contract/single-cell.test.ts': `${FOLDER}: HDF5 is read where it lies there alone`,
  'test/commons/distribution/**': OWN,
  'test/commons/graphql/acceptance.test.ts': NO_FOLDER,
  'test/commons/import/**': `${FOLDER}: the release that an import makes there`,
  'test/commons/release/**': `${FOLDER}: how a release is written there`,
  'test/commons/search/{related,simple-evaluator}.test.ts': NO_FOLDER,
  'test/commons/sets-at-once.test.ts': `${FOLDER}: its rows are changed there`,
  'test/commons/slicing/**': NO_FOLDER,
  'test/registry/{mph-tables,mph-vectors,operations,staging-vectors-unit}.test.ts': NO_FOLDER,
  'test/registry/recode-{by-hand,patients-*,published,rules-*,second-*,vectors}.test.ts': NO_FOLDER,
  'test/submission/{dictionary-*,document-validator,parse-vectors}.test.ts': NO_FOLDER,
  'test/commons/storing/**': `${FOLDER}: damage there, how it is found`,
}
