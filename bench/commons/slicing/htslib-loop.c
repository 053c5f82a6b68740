/*
 * What a C program on htslib needs for the small slices, in one process and one thread: the file
 * and its index are open before the clock starts, each line of a BED file is one slice, written as
 * BAM of level 1 to the null device. Prints one line of JSON: the records of all slices, and the
 * milliseconds of each.
 *
 * usage: htslib-loop FILE BED
 */
#include <htslib/sam.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "htslib-loop: %s\n", what);
  exit(1);
}

static long slice(samFile *in, sam_hdr_t *header, hts_idx_t *index, bam1_t *record,
                  const char *name, long long start, long long end) {
  samFile *out = sam_open("/dev/null", "wb1");
  if (!out || sam_hdr_write(out, header) < 0) fail("output cannot be begun");
  hts_itr_t *iterator = sam_itr_queryi(index, sam_hdr_name2tid(header, name), start, end);
  if (!iterator) fail("region is not in the index");
  long records = 0;
  int got;
  while ((got = sam_itr_next(in, iterator, record)) >= 0) {
    if (sam_write1(out, header, record) < 0) fail("record cannot be written");
    records++;
  }
  if (got < -1) fail("file is damaged");
  hts_itr_destroy(iterator);
  if (sam_close(out) < 0) fail("output cannot be ended");
  return records;
}

int main(int argc, char **argv) {
  if (argc != 3) fail("give FILE and BED");
  samFile *in = sam_open(argv[1], "rb");
  FILE *bed = fopen(argv[2], "r");
  if (!in || !bed) fail("input cannot be opened");
  sam_hdr_t *header = sam_hdr_read(in);
  hts_idx_t *index = sam_index_load(in, argv[1]);
  bam1_t *record = bam_init1();
  if (!header || !index || !record) fail("header or index cannot be read");

  long records = 0;
  char name[256];
  long long start, end;
  const char *comma = "";
  printf("{\"milliseconds\":[");
  while (fscanf(bed, "%255s %lld %lld", name, &start, &end) == 3) {
    double begin = now();
    records += slice(in, header, index, record, name, start, end);
    printf("%s%.4f", comma, now() - begin);
    comma = ",";
  }
  printf("],\"records\":%ld}\n", records);

  bam_destroy1(record);
  hts_idx_destroy(index);
  sam_hdr_destroy(header);
  sam_close(in);
  fclose(bed);
  return 0;
}
