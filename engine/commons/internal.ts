// Exports for this package's own server and command line. They are not part of the library.

export { checkPrefix } from './distribution/check-prefix.ts'
export { writeBlob } from './distribution/contents.ts'
export { refusal } from './graphql/search-graph.ts'
export { proveBamApart } from './import/files/proved-bam.ts'
export { sendLake } from './lake/send-lake.ts'
