// What only this package's own server and command line use; no part of the library.

export { checkPrefix } from './distribution/check-prefix.ts'
export { writeBlob } from './distribution/contents.ts'
export { type ProvedBam, proveBamApart } from './files/ingest/proved-bam.ts'
export { refusal } from './graphql/search-graph.ts'
export { type SendLake, sendLake } from './lake/send-lake.ts'
