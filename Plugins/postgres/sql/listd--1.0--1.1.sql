-- Adds row triggers to listd.watch, and starts a generation without losing changes for followers of standbys. Where
-- the extension cannot be installed, run this file with psql to update from 1.0 to 1.1.

CREATE OR REPLACE FUNCTION listd.version() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '1.1' $$;

-- Returns the version, the generation and whether the server is a standby. A follower calls it on each new
-- connection.
CREATE OR REPLACE FUNCTION listd.hello(OUT version text, OUT generation text, OUT standby boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    version := listd.version();
    standby := pg_is_in_recovery();
    generation := listd.generation();
    IF generation IS NULL THEN
        INSERT INTO listd.incarnation DEFAULT VALUES ON CONFLICT DO NOTHING;
        IF FOUND THEN
            -- No cursor of the new generation is older than the oldest running transaction. Cursors of a standby's
            -- followers stay valid, however, and need the changes that were committed since the oldest running
            -- transaction began. After a restore, transaction numbers in the future belong to transactions of
            -- another server.
            DELETE FROM listd.change c
                WHERE c.xid < pg_snapshot_xmin(pg_current_snapshot()) OR c.xid >= pg_snapshot_xmax(pg_current_snapshot());
            DELETE FROM listd.mark;
            UPDATE listd.pruned SET xid = pg_snapshot_xmin(pg_current_snapshot());
        END IF;
        generation := listd.generation();
    END IF;
END $$;

-- Logs the keys of one row. It is the trigger of tables that are watched row by row. Arguments: the number of the
-- list, the column of the key.
CREATE FUNCTION listd.log_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before text;
    now text;
BEGIN
    IF TG_OP <> 'INSERT' THEN EXECUTE format('SELECT ($1).%I::text', TG_ARGV[1]) INTO before USING OLD; END IF;
    IF TG_OP <> 'DELETE' THEN EXECUTE format('SELECT ($1).%I::text', TG_ARGV[1]) INTO now USING NEW; END IF;
    IF before IS NOT NULL THEN INSERT INTO listd.change (list, id) VALUES (TG_ARGV[0]::integer, before); END IF;
    IF now IS DISTINCT FROM before AND now IS NOT NULL THEN
        INSERT INTO listd.change (list, id) VALUES (TG_ARGV[0]::integer, now);
    END IF;
    RETURN NULL;
END $$;

DROP FUNCTION listd.watch(text, regclass, regclass, text, text[]);
DROP FUNCTION listd.set_triggers(integer, regclass, text);

-- Creates the triggers of a table that is watched for a list, and returns their number.
CREATE FUNCTION listd.set_triggers(list integer, origin regclass, key text, is_row_by_row boolean) RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM listd.drop_triggers(list, origin);
    IF is_row_by_row THEN
        EXECUTE format('CREATE TRIGGER listd_%s_row AFTER INSERT OR UPDATE OR DELETE ON %s '
            'FOR EACH ROW EXECUTE FUNCTION listd.log_row(%L, %L)', list, origin, list, key);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER listd_%s_row', origin, list);
    ELSE
        EXECUTE format('CREATE TRIGGER listd_%s_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
        EXECUTE format('CREATE TRIGGER listd_%s_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
        EXECUTE format('CREATE TRIGGER listd_%s_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    END IF;
    EXECUTE format('CREATE TRIGGER listd_%s_truncate AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    IF is_row_by_row THEN EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER listd_%s_truncate', origin, list); END IF;
    RETURN CASE WHEN is_row_by_row THEN 2 ELSE 4 END;
END $$;

-- Creates a list of a table or view, or changes it. A further call with another origin watches that table as well.
--
-- relation: the table or view. It has a column id, unique and not null, and optionally a column type with the object's type.
-- origin:   the table whose changes change the list; NULL = the relation itself, or the only table that the view reads.
-- key:      the column of origin that contains the id of the list's row.
-- ordering: the columns that determine the order, each not null and with an index in this order; NULL = rank, id, or id alone.
-- triggers: 'statement' logs all keys of a statement together. 'row' logs each row by itself: this costs writers more, but also
--           covers writes by logical replication and direct writes to a partition.
CREATE FUNCTION listd.watch(
    name text, relation regclass, origin regclass DEFAULT NULL, key text DEFAULT 'id', ordering text[] DEFAULT NULL,
    triggers text DEFAULT 'statement')
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    columns text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped);
    number integer;
    missing text;
BEGIN
    IF watch.triggers IS NULL OR watch.triggers NOT IN ('statement', 'row') THEN
        RAISE EXCEPTION 'listd: triggers => % is neither ''statement'' nor ''row''', quote_nullable(watch.triggers);
    END IF;
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
    INSERT INTO listd.origin AS o (list, relation, key, triggers)
        VALUES (number, watch.origin, watch.key, listd.set_triggers(number, watch.origin, watch.key, watch.triggers = 'row'))
        ON CONFLICT ON CONSTRAINT origin_pkey DO UPDATE SET key = excluded.key, triggers = excluded.triggers;
    INSERT INTO listd.change (list) VALUES (number);
    RETURN number;
END $$;
