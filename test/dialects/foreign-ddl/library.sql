-- A library, as somebody may have it who knows nothing of Isotherm.
ALTER DATABASE library SET OPTIONS (version_retention_period = '2d');

CREATE SCHEMA archive;

CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive');

CREATE TABLE Members (
  MemberId INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers)),
  Name STRING(200) NOT NULL,
  Birthday DATE,
  Joined TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  Initial STRING(MAX) NOT NULL AS (SUBSTR(Name, 1, 1)),
  CHECK (LENGTH(Name) > 0),
  SYNONYM (Readers),
) PRIMARY KEY (MemberId);

CREATE TABLE Books (
  Isbn STRING(13) NOT NULL,
  Title STRING(MAX),
  TitleTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN,
  Authors ARRAY<STRING(MAX)>,
  Price NUMERIC,
  Details JSON,
  CONSTRAINT PriceIsPositive CHECK (Price > 0),
) PRIMARY KEY (Isbn);

CREATE SEARCH INDEX BooksByTitle ON Books (TitleTokens) STORING (Price);

CREATE TABLE Loans (
  MemberId INT64 NOT NULL,
  Isbn STRING(13) NOT NULL,
  Due TIMESTAMP,
  FOREIGN KEY (Isbn) REFERENCES Books (Isbn),
) PRIMARY KEY (MemberId, Isbn DESC),
  INTERLEAVE IN PARENT Members ON DELETE CASCADE;

CREATE UNIQUE NULL_FILTERED INDEX LoansByDue ON Loans (Due DESC, Isbn);

CREATE TABLE archive.Events (
  Id STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  Seen TIMESTAMP,
  What BYTES(1024),
) PRIMARY KEY (Id), ROW DELETION POLICY (OLDER_THAN(Seen, INTERVAL 400 DAY));

CREATE VIEW OpenLoans SQL SECURITY INVOKER AS SELECT l.MemberId, l.Isbn FROM Loans AS l WHERE l.Due IS NOT NULL;

CREATE CHANGE STREAM Everything FOR ALL;
CREATE CHANGE STREAM LoansOnly FOR Loans (Due), Books OPTIONS (retention_period = '3d');
ALTER CHANGE STREAM Everything SET FOR Members;
