import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.HtsgetBAMFileReader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SamInputResource;
import htsjdk.samtools.SamReader;
import htsjdk.samtools.SamReaderFactory;
import htsjdk.samtools.ValidationStringency;
import htsjdk.samtools.util.CloseableIterator;
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads by ticket, by index and from slices compared with those of the file: the service, an id, the
 * file, and regions (1-based).
 */
public class ReadRegions {
  private static final SamReaderFactory READERS =
      SamReaderFactory.makeDefault().validationStringency(ValidationStringency.SILENT);

  public static void main(String[] words) throws Exception {
    String service = words[0];
    String id = words[1];
    SamReader file = READERS.open(new File(words[2]));
    HtsgetBAMFileReader tickets = new HtsgetBAMFileReader(
        URI.create(service + "/reads/" + id), true, ValidationStringency.SILENT,
        DefaultSAMRecordFactory.getInstance(), false);
    String address = service + "/data/" + id;
    // It takes for BAM what ends in that; the service passes over a word that it does not know.
    SamReader byIndex = READERS.open(
        SamInputResource.of(new URL(address + "?name=.bam")).index(new URL(address + ".bai")));
    for (int i = 3; i < words.length; i++) {
      String[] parts = words[i].split("[:-]");
      int start = Integer.parseInt(parts[1]);
      int end = Integer.parseInt(parts[2]);
      List<String> wanted = texts(file.query(parts[0], start, end, false), false);
      // The client leaves out reads that are unmapped and have the place of their mates.
      List<String> mapped = texts(file.query(parts[0], start, end, false), true);
      compare("ticket", mapped, texts(tickets.query(parts[0], start, end, false), true));
      compare("index", wanted, texts(byIndex.query(parts[0], start, end, false), false));
      URL view = new URL(service + "/slicing/view/" + id + "?region=" + words[i]);
      try (SamReader slice = READERS.open(SamInputResource.of(view.openStream()))) {
        compare("slice", wanted, texts(slice.iterator(), false));
      }
    }
    compare("all", texts(file.iterator(), false), texts(tickets.getIterator(), false));
    compare("unmapped", texts(file.queryUnmapped(), false), texts(tickets.queryUnmapped(), false));
  }

  private static List<String> texts(CloseableIterator<SAMRecord> reads, boolean isMapped) {
    List<String> found = new ArrayList<>();
    while (reads.hasNext()) {
      SAMRecord read = reads.next();
      if (!isMapped || !read.getReadUnmappedFlag()) found.add(read.getSAMString());
    }
    reads.close();
    return found;
  }

  private static void compare(String way, List<String> wanted, List<String> found) {
    System.out.println(way + (wanted.equals(found) ? " same " : " other ") + wanted.size());
  }
}
