-- The tables and functions that listd's plugin postgres needs in a database: the lists, and a log of the changed
-- keys.
--
-- A trigger on each watched table writes (transaction, list, key) into listd.change. The cursor of a follower is a
-- snapshot of transactions; the follower asks for the keys changed by transactions that were not visible in the
-- snapshot. So no change is lost, even if transactions overlap.

-- The lists, by name. SELECT listd.watch('shop', 'public.orders') creates one.
CREATE TABLE listd.list (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> ''),
    -- The table or view whose rows are the objects.
    relation regclass NOT NULL,
    -- The columns that determine the order of the objects, each ascending; the last one is id.
    ordering text[] NOT NULL
);

-- The tables whose changes affect a list, and the column of each table that contains the id of the list's row.
CREATE TABLE listd.origin (
    list integer NOT NULL REFERENCES listd.list ON DELETE CASCADE,
    relation regclass NOT NULL,
    key text NOT NULL,
    -- The number of triggers on the table, so that a missing trigger is detected.
    triggers integer NOT NULL,
    PRIMARY KEY (list, relation)
);

-- The changed keys. With a NULL id, any key of the list may have changed.
CREATE TABLE listd.change (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    list integer NOT NULL,
    id text
);
CREATE INDEX change_list_xid ON listd.change (list, xid);

-- The oldest transaction that is certain to be in listd.change; earlier ones may have been pruned.
CREATE TABLE listd.pruned (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    xid xid8 NOT NULL
);
INSERT INTO listd.pruned (xid) VALUES ('0');

-- The times at which listd.prune() ran, each with the oldest transaction that was running then.
CREATE TABLE listd.mark (
    at timestamptz NOT NULL,
    xid xid8 NOT NULL
);

-- The token of the present generation of transaction numbers. The table is unlogged: a crash, a promotion and a
-- restore empty it, and after each of them transaction numbers may be reused. A clean restart keeps it.
CREATE UNLOGGED TABLE listd.incarnation (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    token uuid NOT NULL DEFAULT gen_random_uuid()
);

CREATE FUNCTION listd.version() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '1.0' $$;

-- Returns the generation of transaction numbers, for which cursors are valid; NULL if it has no name yet
-- (listd.hello() gives it one).
CREATE FUNCTION listd.generation() RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    token text;
BEGIN
    IF pg_is_in_recovery() THEN
        -- An unlogged table cannot be read on a standby. A promotion ends this generation too.
        token := 'standby-' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;
    ELSE
        SELECT i.token INTO token FROM listd.incarnation i;
    END IF;
    RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || token;
END $$;

-- Returns the version, the generation and whether the server is a standby. A follower calls it on each new
-- connection.
CREATE FUNCTION listd.hello(OUT version text, OUT generation text, OUT standby boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    version := listd.version();
    standby := pg_is_in_recovery();
    generation := listd.generation();
    IF generation IS NULL THEN
        INSERT INTO listd.incarnation DEFAULT VALUES ON CONFLICT DO NOTHING;
        IF FOUND THEN
            -- No cursor of the new generation needs older log entries. After a restore, their numbers belong to
            -- other transactions.
            DELETE FROM listd.change;
            DELETE FROM listd.mark;
            UPDATE listd.pruned SET xid = pg_snapshot_xmin(pg_current_snapshot());
        END IF;
        generation := listd.generation();
    END IF;
END $$;

-- Returns the keys of a list that were changed by transactions not visible in a snapshot. A standby's snapshots do
-- not name the running transactions: there, all transactions since the oldest running one count, and some keys are
-- reported twice.
CREATE FUNCTION listd.since(list integer, seen pg_snapshot) RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100 AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN QUERY SELECT c.id FROM listd.change c WHERE c.list = since.list AND c.xid >= pg_snapshot_xmin(seen);
    ELSE
        RETURN QUERY SELECT c.id FROM listd.change c WHERE c.list = since.list AND c.xid >= pg_snapshot_xmax(seen);
        RETURN QUERY SELECT c.id FROM listd.change c
            WHERE c.list = since.list AND c.xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen)));
    END IF;
END $$;

-- Returns which lists have changed since their followers' snapshots, as 'INDEX:KEYS' separated by commas: the index
-- in `lists`, from 1, and the number of changed keys. The number is -1 if the whole list has to be read, because
-- more than `enough` keys or an unknown key have changed, or the log does not reach back to the snapshot.
CREATE FUNCTION listd.poll(
    lists integer[], seen text[], enough integer,
    OUT snapshot text, OUT generation text, OUT changed text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    pruned xid8;
    cursor pg_snapshot;
    keys integer;
    is_whole boolean;
BEGIN
    snapshot := pg_current_snapshot()::text;
    generation := listd.generation();
    changed := '';
    SELECT p.xid INTO pruned FROM listd.pruned p;
    FOR i IN 1 .. cardinality(lists) LOOP
        cursor := seen[i]::pg_snapshot;
        IF pg_snapshot_xmin(cursor) < pruned THEN
            keys := -1;
        ELSE
            SELECT count(*), coalesce(bool_or(s.id IS NULL), false) INTO keys, is_whole
                FROM (SELECT * FROM listd.since(lists[i], cursor) AS c(id) LIMIT enough + 1) s;
            IF is_whole OR keys > enough THEN keys := -1; END IF;
        END IF;
        IF keys <> 0 THEN
            changed := changed || CASE changed WHEN '' THEN '' ELSE ',' END || i || ':' || keys;
        END IF;
    END LOOP;
END $$;

-- Deletes log entries that are older than `keep`, as measured by earlier runs of this function, and returns their
-- number. A follower that was away for longer reads the whole list.
CREATE FUNCTION listd.prune(keep interval DEFAULT '1 day') RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    oldest xid8;
    count bigint;
BEGIN
    INSERT INTO listd.mark VALUES (clock_timestamp(), pg_snapshot_xmin(pg_current_snapshot()));
    SELECT m.xid INTO oldest FROM listd.mark m WHERE m.at <= clock_timestamp() - keep ORDER BY m.xid DESC LIMIT 1;
    IF oldest IS NULL THEN RETURN 0; END IF;
    UPDATE listd.pruned SET xid = greatest(xid, oldest);
    DELETE FROM listd.change WHERE xid < oldest;
    GET DIAGNOSTICS count = ROW_COUNT;
    DELETE FROM listd.mark WHERE xid < oldest;
    RETURN count;
END $$;

-- Logs the keys of one statement. It is the trigger of watched tables. Arguments: the number of the list, the
-- column of the key.
CREATE FUNCTION listd.log_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    enough CONSTANT integer := 50000;
    count integer;
    rows text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT count(*) INTO count FROM (SELECT FROM new_rows LIMIT enough + 1) s;
        rows := 'SELECT %1$I::text AS id FROM new_rows';
    ELSIF TG_OP = 'UPDATE' THEN
        SELECT count(*) INTO count FROM (SELECT FROM new_rows LIMIT enough + 1) s;
        rows := 'SELECT %1$I::text AS id FROM old_rows UNION SELECT %1$I::text FROM new_rows';
    ELSIF TG_OP = 'DELETE' THEN
        SELECT count(*) INTO count FROM (SELECT FROM old_rows LIMIT enough + 1) s;
        rows := 'SELECT %1$I::text AS id FROM old_rows';
    END IF;
    IF TG_OP = 'TRUNCATE' OR count > enough THEN
        INSERT INTO listd.change (list) VALUES (TG_ARGV[0]::integer);
    ELSIF count > 0 THEN
        EXECUTE format('INSERT INTO listd.change (list, id) SELECT $1, id FROM (' || rows || ') s WHERE id IS NOT NULL', TG_ARGV[1])
            USING TG_ARGV[0]::integer;
    END IF;
    RETURN NULL;
END $$;

-- Returns the only table that a view reads; fails if there are several.
CREATE FUNCTION listd.table_of(relation regclass) RETURNS regclass
LANGUAGE plpgsql STABLE AS $$
DECLARE
    tables regclass[];
BEGIN
    IF (SELECT c.relkind FROM pg_class c WHERE c.oid = relation) IN ('r', 'p') THEN RETURN relation; END IF;
    WITH RECURSIVE used(relation) AS (
        SELECT table_of.relation
        UNION
        SELECT d.refobjid::regclass FROM used u
            JOIN pg_rewrite r ON r.ev_class = u.relation
            JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
    )
    SELECT array_agg(u.relation ORDER BY u.relation) INTO tables
        FROM used u JOIN pg_class c ON c.oid = u.relation WHERE c.relkind IN ('r', 'p');
    IF coalesce(cardinality(tables), 0) <> 1 THEN
        RAISE EXCEPTION 'listd: % reads % tables', relation, coalesce(cardinality(tables), 0)
            USING HINT = 'Call listd.watch once for each table: origin => the table, key => its column that has the id of the list''s row.';
    END IF;
    RETURN tables[1];
END $$;

-- Creates a list of a table or view, or changes it. A further call with another origin watches that table as well.
--
-- relation: the table or view. It has a column id, unique and not null, and optionally a column type with the object's type.
-- origin:   the table whose changes change the list; NULL = the relation itself, or the only table that the view reads.
-- key:      the column of origin that contains the id of the list's row.
-- ordering: the columns that determine the order, each not null and with an index in this order; NULL = rank, id, or id alone.
CREATE FUNCTION listd.watch(
    name text, relation regclass, origin regclass DEFAULT NULL, key text DEFAULT 'id', ordering text[] DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    columns text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped);
    number integer;
    missing text;
BEGIN
    IF NOT 'id' = ANY (columns) THEN
        RAISE EXCEPTION 'listd: % has no column "id"', relation
            USING HINT = 'Make a view that names the column which identifies a row "id".';
    END IF;
    ordering := coalesce(ordering, CASE WHEN 'rank' = ANY (columns) THEN ARRAY['rank'] ELSE '{}' END);
    SELECT c INTO missing FROM unnest(ordering) c WHERE NOT c = ANY (columns) LIMIT 1;
    IF missing IS NOT NULL THEN RAISE EXCEPTION 'listd: % has no column "%" to order by', relation, missing; END IF;
    IF NOT 'id' = ANY (ordering) THEN ordering := ordering || 'id'::text; END IF;
    origin := coalesce(origin, listd.table_of(relation));
    IF NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = origin AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped)
    THEN
        RAISE EXCEPTION 'listd: % has no column "%" that could be the key of %', origin, key, relation
            USING HINT = 'Name the column with key => ''…''.';
    END IF;
    INSERT INTO listd.list AS l (name, relation, ordering) VALUES (watch.name, watch.relation, watch.ordering)
        ON CONFLICT ON CONSTRAINT list_name_key DO UPDATE SET relation = excluded.relation, ordering = excluded.ordering
        RETURNING l.number INTO number;
    PERFORM listd.set_triggers(number, origin, key);
    INSERT INTO listd.origin AS o (list, relation, key, triggers) VALUES (number, watch.origin, watch.key, 4)
        ON CONFLICT ON CONSTRAINT origin_pkey DO UPDATE SET key = excluded.key, triggers = excluded.triggers;
    INSERT INTO listd.change (list) VALUES (number);
    RETURN number;
END $$;

CREATE FUNCTION listd.drop_triggers(list integer, origin regclass) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT t.tgname FROM pg_trigger t
        WHERE t.tgrelid = origin AND t.tgname LIKE format('listd\_%s\_%%', list) AND NOT t.tgisinternal
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', name, origin);
    END LOOP;
END $$;

CREATE FUNCTION listd.set_triggers(list integer, origin regclass, key text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM listd.drop_triggers(list, origin);
    EXECUTE format('CREATE TRIGGER listd_%s_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    EXECUTE format('CREATE TRIGGER listd_%s_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    EXECUTE format('CREATE TRIGGER listd_%s_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    EXECUTE format('CREATE TRIGGER listd_%s_truncate AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
END $$;

-- Removes a list with its triggers and its log entries; the table itself stays.
CREATE FUNCTION listd.unwatch(name text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    found_number integer;
    origin regclass;
BEGIN
    SELECT l.number INTO found_number FROM listd.list l WHERE l.name = unwatch.name;
    IF found_number IS NULL THEN RAISE EXCEPTION 'listd: there is no list "%"', name; END IF;
    FOR origin IN SELECT o.relation FROM listd.origin o JOIN pg_class c ON c.oid = o.relation WHERE o.list = found_number LOOP
        PERFORM listd.drop_triggers(found_number, origin);
    END LOOP;
    DELETE FROM listd.change c WHERE c.list = found_number;
    DELETE FROM listd.list l WHERE l.number = found_number;
END $$;

-- A dump includes the lists. The log and its generation are meaningless on another server.
SELECT pg_extension_config_dump('listd.list', '');
SELECT pg_extension_config_dump('listd.list_number_seq', '');
SELECT pg_extension_config_dump('listd.origin', '');
