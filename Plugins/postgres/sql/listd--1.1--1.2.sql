-- A poll that costs the server less. Where there is no extension, psql runs this file to get from 1.1 to 1.2.

-- The generation as cursors name it: the system identifier and the token. A poll reads it here, and not the server's control file.
ALTER TABLE listd.incarnation ADD COLUMN name text;
UPDATE listd.incarnation SET name = (SELECT system_identifier FROM pg_control_system()) || '/' || token;

CREATE OR REPLACE FUNCTION listd.version() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '1.2' $$;

-- Cursors are good for one generation; NULL when it has no name yet (listd.hello() gives it one).
CREATE OR REPLACE FUNCTION listd.generation() RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        -- Unlogged tables cannot be read on a standby; a promotion ends this generation all the same.
        RETURN (SELECT system_identifier FROM pg_control_system())
            || '/standby-' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;
    END IF;
    RETURN (SELECT i.name FROM listd.incarnation i);
END $$;

-- What a follower asks first.
CREATE OR REPLACE FUNCTION listd.hello(OUT version text, OUT generation text, OUT standby boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    token CONSTANT uuid := gen_random_uuid();
BEGIN
    version := listd.version();
    standby := pg_is_in_recovery();
    generation := listd.generation();
    IF generation IS NULL THEN
        INSERT INTO listd.incarnation (token, name)
            VALUES (token, (SELECT system_identifier FROM pg_control_system()) || '/' || token) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            -- No cursor of this generation is older than the oldest transaction that is under way; but those of a standby's
            -- followers go on, and need what ended since that one began. After a restore numbers that are yet to come mean
            -- transactions of another server.
            DELETE FROM listd.change c
                WHERE c.xid < pg_snapshot_xmin(pg_current_snapshot()) OR c.xid >= pg_snapshot_xmax(pg_current_snapshot());
            DELETE FROM listd.mark;
            UPDATE listd.pruned SET xid = pg_snapshot_xmin(pg_current_snapshot());
        END IF;
        generation := listd.generation();
    END IF;
END $$;

-- Which of some lists have changed since what their followers have seen, as 'PLACE:KEYS' separated by commas: the place in `lists`, from
-- 1, and how many keys; -1 when the whole list is to be read: more than `enough` keys, a change of any of them, or a log that does
-- not go back so far.
CREATE OR REPLACE FUNCTION listd.poll(
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
    changed := '';
    IF pg_is_in_recovery() THEN
        generation := listd.generation();
        SELECT p.xid INTO pruned FROM listd.pruned p;
    ELSE
        SELECT i.name, p.xid INTO generation, pruned FROM listd.incarnation i, listd.pruned p;
        -- No transaction has ended since. A standby's snapshots do not name those that are under way, so they do not tell.
        IF snapshot = ALL (seen) THEN RETURN; END IF;
    END IF;
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
